/** One request to the server. An answer that is no success becomes an `ApiError` in the server's own words. */

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint = '',
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

let language = 'en'

export function speak(lang: string): void {
  language = lang
}

/** Sent with every write: a page of another site can't set it. */
export const GUARD = { 'X-HelloClaw': 'page' } as const

export async function request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json', 'Accept-Language': language }
  let content: BodyInit | null = null
  if (method !== 'GET') Object.assign(headers, GUARD)
  if (body instanceof FormData) content = body
  else if (method !== 'GET') {
    headers['Content-Type'] = 'application/json'
    content = JSON.stringify(body ?? {})
  }
  let response: Response
  try {
    response = await fetch(`/api${path}`, { method, headers, body: content, credentials: 'same-origin', signal: signal ?? null })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, 'unreachable', '')
  }
  if (!response.ok) throw await failure(response)
  return (response.status === 204 ? {} : await response.json()) as T
}

export async function failure(response: Response): Promise<ApiError> {
  const said = (await response.json().catch(() => null)) as { error?: { code?: string; message?: string; hint?: string } } | null
  const error = said?.error
  return new ApiError(response.status, error?.code ?? String(response.status), error?.message ?? response.statusText, error?.hint)
}

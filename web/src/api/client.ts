/** The routes that the page uses, each as a function. */
import type { Answer } from '@/generated/contract'
import { request } from './http'
import type * as p from './payloads'

const enc = encodeURIComponent

export const api = {
  login: (token: string) => request<unknown>('POST', '/login', { token }),

  sessions: () => request<{ sessions: p.SessionInfo[] }>('GET', '/sessions'),
  createSession: (workdir: string | null) => request<p.SessionInfo>('POST', '/sessions', workdir ? { workdir } : {}),
  session: (sid: string) => request<p.SessionInfo>('GET', `/sessions/${enc(sid)}`),
  changeSession: (sid: string, change: Partial<Pick<p.SessionInfo, 'title' | 'pinned' | 'mode' | 'model'>>) =>
    request<p.SessionInfo>('PATCH', `/sessions/${enc(sid)}`, change),
  deleteSession: (sid: string) => request<unknown>('DELETE', `/sessions/${enc(sid)}`),
  restoreSession: (sid: string) => request<p.SessionInfo>('POST', `/sessions/${enc(sid)}/restore`),
  forkSession: (sid: string) => request<p.SessionInfo>('POST', `/sessions/${enc(sid)}/fork`),
  exportUrl: (sid: string, format: 'md' | 'html' | 'jsonl') => `/api/sessions/${enc(sid)}/export?format=${format}`,
  searchSessions: (words: string, signal?: AbortSignal) =>
    request<{ hits: p.SearchHit[] }>('GET', `/sessions/search?q=${enc(words)}`, undefined, signal),

  messages: (sid: string, before: number | null, limit = 400) =>
    request<p.MessagePage>('GET', `/sessions/${enc(sid)}/messages?limit=${limit}${before === null ? '' : `&before=${before}`}`),
  send: (sid: string, text: string, clientId: string, uploads: readonly string[]) =>
    request<p.SendReply>('POST', `/sessions/${enc(sid)}/messages`, { text, client_id: clientId, ...(uploads.length ? { uploads } : {}) }),
  recall: (sid: string, clientId: string) => request<unknown>('DELETE', `/sessions/${enc(sid)}/messages/${enc(clientId)}`),
  slash: (sid: string, line: string) => request<p.SlashReply>('POST', `/sessions/${enc(sid)}/slash`, { line }),
  slashCommands: (sid: string) => request<{ commands: p.SlashCommand[] }>('GET', `/slash/commands?sid=${enc(sid)}`),
  cancel: (sid: string) => request<unknown>('POST', `/sessions/${enc(sid)}/cancel`),
  answer: (sid: string, answer: Omit<Answer, 'type'>) =>
    request<unknown>('POST', `/sessions/${enc(sid)}/permission/resolve`, answer),
  pendingAsks: (sid: string) => request<p.PendingAsks>('GET', `/sessions/${enc(sid)}/pending-asks`),

  directories: (path: string) => request<p.DirectoryList>('GET', `/fs/list?path=${enc(path)}`),
  homeDirectory: () => request<{ path: string }>('GET', '/fs/home'),
  completeFiles: (sid: string, words: string, signal?: AbortSignal) =>
    request<{ paths: string[] }>('GET', `/sessions/${enc(sid)}/files?q=${enc(words)}`, undefined, signal),
  upload: (sid: string, file: File) => {
    const form = new FormData()
    form.append('file', file, file.name)
    return request<p.Upload>('POST', `/sessions/${enc(sid)}/uploads`, form)
  },

  models: () => request<{ models: p.ModelInfo[] }>('GET', '/models'),
  testModel: (model: string) => request<p.ModelTest>('POST', '/model/test', { model }),
  settings: () => request<p.SettingsInfo>('GET', '/settings'),
  changeSetting: (key: string, value: unknown) => request<p.SettingsInfo>('PATCH', '/settings', { key, value }),
  usage: () => request<p.UsageSummary>('GET', '/usage'),

  memoryFiles: () => request<{ files: p.FileInfo[] }>('GET', '/memory/list'),
  memoryFile: (name: string) => request<p.FileText>('GET', `/memory/${enc(name)}`),
  saveMemory: (name: string, content: string) => request<unknown>('PUT', `/memory/${enc(name)}`, { content }),
  searchMemory: (words: string) => request<{ hits: p.NoteHit[] }>('GET', `/memory/search?q=${enc(words)}`),

  workspaceFiles: () => request<{ files: p.FileInfo[] }>('GET', '/config/list'),
  workspaceFile: (name: string) => request<p.FileText>('GET', `/config/${enc(name)}`),
  saveWorkspaceFile: (name: string, content: string) => request<unknown>('PUT', `/config/${enc(name)}`, { content }),
}

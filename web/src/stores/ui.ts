/** What the person sees and how: theme, language, place, toasts, dialogs. Kept in this browser. */
import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'
import { speak } from '@/api/http'
import type { Theme } from '@/api/payloads'
import { i18n, loadLanguage } from '@/i18n'
import type { Lang } from '@/core/wording'
import { kept } from './kept'

export type Place = 'talk' | 'memory' | 'files' | 'usage' | 'settings'
export type Tone = 'info' | 'good' | 'warning' | 'error'
export type Dialog = 'palette' | 'shortcuts' | 'new-session' | 'context' | null

export interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
  readonly detail: string
  readonly action: { readonly label: string; readonly run: () => void } | null
}

const PLACES: readonly Place[] = ['talk', 'memory', 'files', 'usage', 'settings']

export const useUi = defineStore('ui', () => {
  const theme = kept<Theme>('theme', 'auto')
  const lang = kept<Lang>('lang', navigator.language.startsWith('zh') ? 'zh' : 'en')
  const sidebar = kept<boolean>('sidebar', true)
  const drawer = ref(false)
  const place = ref<Place>('talk')
  const sid = ref<string | null>(null)
  const dialog = ref<Dialog>(null)
  const toasts = ref<Toast[]>([])
  let count = 0

  const systemDark = window.matchMedia('(prefers-color-scheme: dark)')
  const prefersDark = ref(systemDark.matches)
  systemDark.addEventListener('change', (event) => (prefersDark.value = event.matches))
  const dark = computed(() => (theme.value === 'auto' ? prefersDark.value : theme.value === 'dark'))

  watch(
    dark,
    (isDark) => {
      document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
      document.querySelector('meta[name="theme-color"]')?.setAttribute('content', isDark ? '#17181a' : '#f7f6f3')
    },
    { immediate: true },
  )
  watch(
    lang,
    async (now) => {
      speak(now)
      await loadLanguage(now)
      i18n.global.locale.value = now
      document.documentElement.lang = now === 'zh' ? 'zh-CN' : 'en'
    },
    { immediate: true },
  )

  function readAddress(): void {
    const [head = '', rest = ''] = location.hash.replace(/^#\/?/, '').split('/')
    if (head === 's' && rest) {
      place.value = 'talk'
      sid.value = decodeURIComponent(rest)
    } else if (PLACES.includes(head as Place)) {
      place.value = head as Place
    } else {
      place.value = 'talk'
      sid.value = null
    }
    drawer.value = false
  }

  function go(to: Place, session: string | null = null): void {
    location.hash = to === 'talk' ? (session ? `#/s/${encodeURIComponent(session)}` : '#/') : `#/${to}`
    drawer.value = false
  }

  function toast(tone: Tone, text: string, more: { detail?: string; action?: Toast['action']; seconds?: number } = {}): number {
    const id = ++count
    toasts.value = [...toasts.value.slice(-3), { id, tone, text, detail: more.detail ?? '', action: more.action ?? null }]
    const seconds = more.seconds ?? (tone === 'error' ? 10 : 6)
    setTimeout(() => {
      dismiss(id)
    }, seconds * 1000)
    return id
  }

  function dismiss(id: number): void {
    toasts.value = toasts.value.filter((each) => each.id !== id)
  }

  return { theme, lang, sidebar, drawer, place, sid, dialog, toasts, dark, readAddress, go, toast, dismiss }
})

/** The page's texts. Only the language in use is loaded, with the program's own texts beside it. */
import { shallowRef } from 'vue'
import { createI18n } from 'vue-i18n'
import type { Lang, Wording } from '@/core/wording'
import type { Messages } from './en'

export const i18n = createI18n<[Messages], Lang, false>({
  legacy: false,
  locale: 'en',
  fallbackLocale: [],
  missingWarn: false,
  fallbackWarn: false,
  messages: {} as Record<Lang, Messages>,
})

export const wording = shallowRef<Wording>({ lang: 'en', texts: {} })

export async function loadLanguage(lang: Lang): Promise<void> {
  const [messages, texts] =
    lang === 'zh'
      ? await Promise.all([import('./zh'), import('@/generated/wording.zh.json')])
      : await Promise.all([import('./en'), import('@/generated/wording.en.json')])
  i18n.global.setLocaleMessage(lang, messages.default)
  wording.value = { lang, texts: texts.default }
}

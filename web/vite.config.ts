import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const server = process.env['HELLOCLAW_URL'] ?? 'http://127.0.0.1:8765'

export default defineConfig({
  plugins: [vue()],
  resolve: { alias: { '@': path('./src') } },
  define: {
    __VUE_OPTIONS_API__: false,
    __VUE_PROD_DEVTOOLS__: false,
    __VUE_I18N_FULL_INSTALL__: false,
    __VUE_I18N_LEGACY_API__: false,
    __INTLIFY_PROD_DEVTOOLS__: false,
  },
  build: {
    outDir: process.env['HELLOCLAW_PAGE'] ?? path('../src/helloclaw/web/page'),
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the content security policy allows no data: fonts and no inline script.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    manifest: true,
  },
  server: {
    port: 5173,
    proxy: { '/api': { target: server, ws: true, changeOrigin: true } },
  },
  test: { environment: 'jsdom', include: ['tests/**/*.test.ts'] },
})

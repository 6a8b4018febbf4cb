import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const library = fileURLToPath(new URL('../../packages/millrace/', import.meta.url))

export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^millrace$/, replacement: `${library}src/index.ts` },
      { find: /^millrace\/(.+)$/, replacement: `${library}src/$1/index.ts` },
    ],
    dedupe: ['react', 'react-dom'],
  },
  build: { outDir: `${library}studio`, emptyOutDir: true, chunkSizeWarningLimit: 600 },
  server: { proxy: { '/agent': 'http://127.0.0.1:8787', '/health': 'http://127.0.0.1:8787' } },
})

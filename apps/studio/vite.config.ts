import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { sourceAliases } from '../../scripts/lib/source-aliases.ts'

const outDir = fileURLToPath(new URL('../../packages/tools/studio/', import.meta.url))

export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: {
    alias: sourceAliases,
    dedupe: ['react', 'react-dom'],
  },
  build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 600 },
  server: { proxy: { '/agent': 'http://127.0.0.1:8787', '/health': 'http://127.0.0.1:8787' } },
})

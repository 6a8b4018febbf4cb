import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('pages/', import.meta.url))
const input = ['millrace.html', 'chat.html', 'floor.html', 'whole.html'].map((name) =>
  join(root, name),
)

/** Bundles the pages of the bench like an app, for production; returns their folder, which is removed with the process. */
export async function buildPages(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pages-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { dedupe: ['react', 'react-dom'] },
    build: { outDir: folder, chunkSizeWarningLimit: 2_000, rollupOptions: { input } },
  })
  return folder
}

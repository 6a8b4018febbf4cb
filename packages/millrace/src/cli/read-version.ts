import { readFile } from 'node:fs/promises'

/** The version of this package, which stands beside `dist` and `src` alike. */
export async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return version
}

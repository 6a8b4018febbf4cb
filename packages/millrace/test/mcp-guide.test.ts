import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { McpMount } from '../src/mcp/mount-mcp.ts'
import { callMounted } from './support/mcp/call-mounted.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the server of the guide is mounted and called as described', async () => {
  const guide = readFileSync(join(root, 'docs/mcp.md'), 'utf8')
  const codeOf = (fence: RegExp) => fence.exec(guide)?.[1] ?? ''
  const server = join(folder, 'weather.mjs')
  writeFileSync(server, codeOf(/^```js\n(.*?)^```$/ms))
  const code = codeOf(/^```ts run\n(.*?)^```$/ms).replace("'weather.mjs'", JSON.stringify(server))
  writeFileSync(join(folder, 'mount.ts'), code)
  const { weather } = (await import(join(folder, 'mount.ts'))) as { weather: McpMount }
  try {
    expect(weather.tools.map(({ schema }) => schema.name)).toEqual(['weather__forecast'])
    const answer = await callMounted(weather, 'weather__forecast', { city: 'Chur' })
    expect(answer).toMatchObject({ text: 'Rain in Chur.', isError: false })
  } finally {
    await weather.close()
  }
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Compactor } from '../src/agent/compaction/index.ts'
import type { CompactionInput } from '../src/agent/compaction/compactor.ts'
import type { ContentBlock, Message } from '../src/events/index.ts'
import { createScriptedModel } from './support/agents/scripted-model.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const picture: ContentBlock = {
  type: 'image',
  source: { type: 'url', url: 'https://a.test/b.png' },
}

function say(role: Message['role'], ...content: readonly ContentBlock[]): Message {
  return { role, content: [...content, { type: 'text', text: 'Hm.' }] }
}

test('the compactor of the guide works as described', async () => {
  const guide = readFileSync(join(root, 'docs/context.md'), 'utf8')
  const code = /^```ts run\n(.*?)^```$/ms.exec(guide)?.[1] ?? ''
  const file = join(folder, 'guide.ts')
  writeFileSync(file, code)
  const { compactor } = (await import(file)) as { compactor: Compactor }
  const messages = [say('user', picture), say('assistant'), say('user', picture)]
  const { signal } = new AbortController()
  const input: CompactionInput = {
    messages,
    estimatedTokens: 1,
    runStart: 2,
    model: createScriptedModel([]),
    signal,
  }
  const compacted = await compactor.compact(input)
  expect(compacted).toEqual([say('user'), ...messages.slice(1)])
  expect(compacted[2]).toBe(messages[2])
})

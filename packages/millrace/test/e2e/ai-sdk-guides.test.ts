import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/agent/create-agent.ts'
import { defineFrontendTool, defineTool } from '../../src/tools/define-tool.ts'
import type { Model } from '../../src/events/model.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'
import { openChat } from '../support/protocols/ui-chat.ts'
import { sdkVersions, type SeenMessage, textOf } from '../support/protocols/ui-stream.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = mkdtempSync(join(root, 'packages/millrace/.guide-'))
let server: TestServer

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server.close()
  expect([server.violations, server.errors]).toEqual([[], []])
})

/** Loads the first example of a guide that contains a text. */
function load(guide: string, words: string): Promise<Readonly<Record<string, unknown>>> {
  const text = readFileSync(join(root, 'docs', guide), 'utf8')
  const fences = [...text.matchAll(/^```(tsx?)\n(.*?)^```$/gms)]
  const [, kind = '', code = ''] = fences.find(([, , found]) => found?.includes(words)) ?? []
  const file = join(folder, `${guide}-${words.length}.${kind}`)
  writeFileSync(file, code)
  return import(file)
}

/** The content of messages in a page: the text of each. */
function shown(page: FunctionComponent<PageProps>, initial: readonly SeenMessage[]): string[] {
  const html = renderToStaticMarkup(createElement(page, { id: 'chat', initial }))
  return [...html.matchAll(/<p>(.*?)<\/p>/gs)].map(([, text = '']) =>
    text.replaceAll(/&(#x27|quot|lt|gt|amp);/g, (_, name: string) => characters[name] ?? ''),
  )
}

interface PageProps {
  readonly id: string
  readonly initial: readonly SeenMessage[]
}

const characters: Readonly<Record<string, string>> = {
  '#x27': "'",
  quot: '"',
  lt: '<',
  gt: '>',
  amp: '&',
}

test.each(['ai-sdk.md', 'coming-from.md'])(
  'the page of %s has the content of a Millrace client, also after a rollback',
  async (guide) => {
    const { Chat } = (await load(guide, 'function Chat(')) as { Chat: FunctionComponent<PageProps> }
    for (const version of sdkVersions) {
      const one = openChat(version, { url: server.url })
      await one.chat.sendMessage({ text: '/demo overloaded' })
      const { parts = [] } = one.chat.messages.at(-1) ?? {}
      expect(parts.some(({ type }) => type === 'data-rollback')).toBe(true)
      const path = `/ai-sdk/chat/${encodeURIComponent(one.chat.id)}/messages`
      const { messages } = (await (await fetch(`${server.url}${path}`)).json()) as {
        messages: SeenMessage[]
      }
      const wanted = ['/demo overloaded', await one.watchedText()]
      expect(shown(Chat, one.chat.messages)).toEqual(wanted)
      expect(shown(Chat, messages)).toEqual(wanted)
      await one.close()
    }
  },
)

test('the script of coming-from.md plays the whole example without a key', async () => {
  const { model } = (await load('coming-from.md', 'createEmulator')) as { model: Model }
  const weather = defineTool({
    name: 'weather',
    description: 'Tells the weather of a city.',
    input: z.object({ city: z.string() }),
    run: ({ city }) => `Sunny in ${city}.`,
  })
  const location = defineFrontendTool({
    name: 'location',
    description: 'Tells where the user is.',
    input: z.object({}),
  })
  const guide = createAgent({ name: 'guide', model, tools: [weather, location] })
  const mill = await openTestServer({ agents: { guide }, defaultAgent: 'guide' })
  const one = openChat(7, {
    url: mill.url,
    goesOn: 'tools',
    onToolCall: ({ toolName: tool, toolCallId }, chat) => {
      if (tool !== 'location') return
      void chat.addToolOutput({ tool, toolCallId, output: { latitude: 60, longitude: 11 } })
    },
  })
  await one.chat.sendMessage({ text: 'What is the weather here?' })
  const answer = (): string => one.chat.messages.slice(-1).map(textOf).join('')
  await expect.poll(answer, { timeout: 20_000 }).toBe('Sunny in Oslo.')
  await one.close()
  await mill.close()
})

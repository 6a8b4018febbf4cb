import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LiveHouse, openHouse } from '../support/live-house.ts'
import { openChat, type ChatOptions, type WatchedChat } from '../support/ui-chat.ts'
import {
  sdkVersions,
  type SdkVersion,
  type SeenMessage,
  type SeenPart,
  textOf,
} from '../support/ui-stream.ts'

let house: LiveHouse
const chats: WatchedChat[] = []

beforeAll(async () => {
  house = await openHouse()
})

afterAll(async () => {
  for (const chat of chats) await chat.close()
  await house.close()
  expect(house.violations).toEqual([])
  expect(house.errors).toEqual([])
})

function open(version: SdkVersion, options: Partial<ChatOptions> = {}): WatchedChat {
  const opened = openChat(version, { url: house.url, ...options })
  chats.push(opened)
  return opened
}

const last = ({ chat }: WatchedChat): SeenMessage => {
  const message = chat.messages.at(-1)
  if (message === undefined) throw new Error('There is no message.')
  return message
}
const toolsOf = (message: SeenMessage): SeenPart[] =>
  message.parts.filter(({ type }) => type === 'dynamic-tool')
describe.each(sdkVersions)('with the AI SDK %i, unmodified', (version) => {
  test.each([
    'text',
    'thinking',
    'citations',
    'tools',
    'parallel-tools',
    'web-search',
    'images',
    'files',
  ])('a run is one message, the same as a Millrace client reads: %s', async (demo) => {
    const one = open(version)
    await one.chat.sendMessage({ text: `/demo ${demo}` })
    expect([one.chat.status, one.chat.error]).toEqual(['ready', undefined])
    expect(one.chat.messages).toHaveLength(2)
    const message = last(one)
    expect(textOf(message)).not.toBe('')
    expect(textOf(message)).toBe(await one.watchedText())
    expect(message.metadata).toMatchObject({ agent_uuid: one.session(), stop_reason: 'end_turn' })
    expect(toolsOf(message).every(({ state }) => state === 'output-available')).toBe(true)
  })
})

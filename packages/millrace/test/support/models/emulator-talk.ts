import type { Emulator } from 'millrace-tools/emulator'
import type { JsonObject } from '../../../src/json/index.ts'
import { createSseDecoder } from '../../../src/sse/index.ts'

/** The address of an emulator without a socket. */
const messagesUrl = 'http://emulator.test/v1/messages'

/** The headers that every request needs. */
export const apiHeaders = { 'x-api-key': 'any', 'anthropic-version': '2026-10-21' }

/** Requests a message from an emulator; `more` changes the body. */
export function postMessage(
  { fetch }: Emulator,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const messages = [{ role: 'user', content: 'x' }]
  const body = JSON.stringify({ model: 'm', max_tokens: 9999, messages, ...more })
  return fetch(messagesUrl, { method: 'POST', headers: { ...apiHeaders, ...headers }, body })
}

/** The events of a body. */
export function eventsOf(body: string): JsonObject[] {
  const events: JsonObject[] = []
  createSseDecoder({ onEvent: ({ data }) => events.push(JSON.parse(data) as JsonObject) }).feed(
    body,
  )
  return events
}

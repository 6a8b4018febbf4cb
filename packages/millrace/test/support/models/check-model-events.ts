import { expect } from 'vitest'
import type { ContentBlock, ModelEvent } from '../../../src/events/index.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import { readEvents } from './anthropic-events.ts'

interface SeenBlock {
  readonly type: string
  open: boolean
  text: string
  end: ContentBlock | undefined
}

/** Reads events of the API, and fails unless the result fulfils the contract of the model port. */
export function readChecked(
  ...events: readonly (JsonObject | readonly JsonObject[])[]
): ModelEvent[] {
  const out = readEvents(events.flat())
  checkModelEvents(out)
  return out
}

/** Fails unless a run fulfils the contract of the model port, with any end. */
export function checkModelEvents(events: readonly ModelEvent[]): void {
  const blocks: SeenBlock[] = []
  for (const event of events) checkEvent(blocks, event)
  const last = events.at(-1)
  expect(events.filter((event) => event.type === 'message_end')).toHaveLength(1)
  expect(last?.type).toBe('message_end')
  if (last?.type !== 'message_end') return
  expect(last.content).toEqual(blocks.flatMap(keptOf))
  expect(last.cut ?? []).toEqual(blocks.flatMap(cutOf))
}

function cutOf({ type, text, open }: SeenBlock, block: number): unknown[] {
  return open
    ? [expect.objectContaining({ block, text, content: expect.objectContaining({ type }) })]
    : []
}

/** A complete block, or the received part of a text. */
function keptOf({ type, text, end }: SeenBlock): unknown[] {
  if (end !== undefined) return [end]
  return type === 'text' && text !== '' ? [expect.objectContaining({ type, text })] : []
}

function checkEvent(blocks: SeenBlock[], event: ModelEvent): void {
  if (!('block' in event)) return
  if (event.type === 'block_start') {
    if (event.block !== blocks.length) expect.fail(`Block ${event.block} opened out of turn.`)
    blocks.push({ type: event.content.type, open: true, text: '', end: undefined })
    return
  }
  const block = blocks[event.block]
  if (block?.open !== true) return expect.fail(`${event.type} for block ${event.block}, not open.`)
  if (event.type === 'block_delta') {
    if (event.text === '') expect.fail('An empty delta.')
    block.text += event.text
  } else if (event.type === 'block_end') {
    block.open = false
    block.end = event.content
    const { type, text, thinking } = event.content
    const whole = { text, thinking }[type] ?? event.inputText ?? ''
    if (block.text !== whole) expect(block.text).toBe(whole)
  }
}

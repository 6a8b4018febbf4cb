import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryStream } from '../../../test/support/frames/arbitrary-stream.ts'
import { anyLog, type LoggedMessage, toFrames } from '../../../test/support/frames/play-log.ts'
import { accumulate, isWhole, splitMessages } from '../../../test/support/protocols/raw-messages.ts'
import { runs } from '../../../test/support/runs.ts'
import { createJoiner, type Envelope } from '../../events/index.ts'
import { envelopeFormatter } from '../../formatters/wire-formatter.ts'
import { parseJsonObject } from '../../json/index.ts'
import { encodeSse } from '../../sse/index.ts'
import type { FormatFrame } from '../port/index.ts'
import { toInputJson } from './message-frames.ts'
import { rawFormat } from './raw-writer.ts'

const ROOT = 'mill'
const toLog = (envelopes: readonly Envelope[]): LoggedMessage[] =>
  envelopes.map((envelope, index) => ({ id: index + 1, envelope }))

/** Returns the content of a log that messages preserve: its root's blocks, in any order. */
function carried(log: readonly LoggedMessage[], root: string): string[] {
  const joiner = createJoiner()
  const received: string[] = []
  let step: string[] = []
  let calls = new Map<string, string>()
  let isOver = false
  const keep = () => {
    received.push(...step, ...calls.values())
    step = []
    calls = new Map()
  }
  const deeds: Record<string, (whole: Envelope) => void> = {
    text: ({ delta }) => delta !== '' && step.push(`text ${delta}`),
    thinking: ({ delta }) => delta !== '' && step.push(`thinking ${delta}`),
    // An interrupted call is written only with its result, and these have none. [LIFE-14]
    tool_call: (call) => !call['interrupted'] && calls.set(call.id ?? '', toCall(call)),
    server_tool_call: (call) => !call['interrupted'] && step.push(toCall(call)),
    server_tool_result: (result) => step.push(toResult(result)),
    tool_result: (result) => {
      keep()
      received.push(toResult(result))
    },
    meta_step: keep,
    meta_init: () => (isOver = false),
    meta_end: () => {
      keep()
      isOver = false
    },
    error: () => {
      keep()
      isOver = true
    },
    rollback: () => {
      calls.clear()
      keep()
    },
  }
  for (const { envelope } of log) {
    const { span, ...own } = envelope
    const whole = own.agent === root ? joiner.push(own) : undefined
    if (whole === undefined) continue
    if (isOver && whole.type !== 'meta_end' && whole.type !== 'meta_init') continue
    deeds[whole.type]?.(whole)
  }
  keep()
  return received.toSorted()
}

const toCall = ({ id, name, delta }: Envelope) => `call ${id} ${String(name)} ${toInputJson(delta)}`

/** Compares results by content: a block of the API may have it in `content`. */
function toResult({ delta }: Envelope): string {
  const parsed = tryParse(delta)
  const items = Array.isArray(parsed) ? parsed : undefined
  const [first] = (items ?? []) as { text?: string }[]
  const content = parseJsonObject(delta)?.['content'] ?? first?.text ?? parsed
  return `result ${typeof content === 'string' ? content : JSON.stringify(content)}`
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the content that our own reader of the Messages API reads. */
function read(frames: readonly FormatFrame[]): string[] {
  return splitMessages(frames)
    .flatMap((message) => {
      const formatter = envelopeFormatter({ agent: ROOT })
      return [...formatter.feed(message.map(encodeSse).join('')), ...formatter.finish()]
    })
    .reduce<{ joiner: ReturnType<typeof createJoiner>; received: string[] }>(
      ({ joiner, received }, envelope) => {
        const whole = joiner.push(envelope)
        if (whole?.type.endsWith('_call') === true) received.push(toCall(whole))
        else if (whole?.type.endsWith('_result') === true) received.push(toResult(whole))
        else if (whole !== undefined && ['text', 'thinking'].includes(whole.type))
          received.push(...(whole.delta === '' ? [] : [`${whole.type} ${whole.delta}`]))
        return { joiner, received }
      },
      { joiner: createJoiner(), received: [] },
    )
    .received.toSorted()
}

describe('any run', () => {
  test('is messages that the official SDK accumulates', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (log) => {
        const frames = toFrames(rawFormat(), log, log.messages)
        for (const message of splitMessages(frames)) {
          if (isWhole(message)) await accumulate(message)
          else expect(message.at(-1)?.event).toBe('error')
        }
      }),
      { numRuns: runs(60, 2000) },
    )
  })

  test('has one block open at a time, counted from 0', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyLog.map(({ messages }) => messages),
          arbitraryStream().map(toLog),
        ),
        (log) => {
          const root = log[0]?.envelope.agent ?? ROOT
          for (const message of splitMessages(toFrames(rawFormat(), { root }, log)))
            checkOrder(message)
        },
      ),
      { numRuns: runs(200, 5000) },
    )
  })

  test('keeps the content that messages can express when decoded', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const frames = toFrames(rawFormat(), log, log.messages)
        // Calls that were only announced are tested below.
        const shown = read(frames).filter((received) => !received.startsWith('call p '))
        expect(shown).toEqual(carried(log.messages, log.root))
      }),
      { numRuns: runs(200, 5000) },
    )
  })

  test('merged for catch-up has the same content', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const ids = (frames: readonly FormatFrame[]) =>
          frames.filter(({ event }) => event !== 'content_block_delta')
        const plain = toFrames(rawFormat(), log, log.messages)
        const merged = toFrames(rawFormat(), log, log.merged)
        expect(ids(merged)).toEqual(ids(plain))
        expect(read(merged)).toEqual(read(plain))
      }),
      { numRuns: runs(100, 2000) },
    )
  })
})

/** Checks that blocks are consecutive and all closed. */
function checkOrder(frames: readonly FormatFrame[]): void {
  let open: number | undefined
  let next = 0
  for (const { data = '' } of frames) {
    const { type, index } = JSON.parse(data) as { type: string; index?: number }
    if (type === 'content_block_start') {
      expect([open, index]).toEqual([undefined, next++])
      open = index
    } else if (type.startsWith('content_block')) expect(index).toBe(open)
    else expect(open).toBeUndefined()
    if (type === 'content_block_stop') open = undefined
  }
}

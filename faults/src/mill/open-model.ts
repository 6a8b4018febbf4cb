import { createEmulator, type Scenario, type ScriptedBlock } from 'millrace-tools/emulator'
import { serve } from 'millrace/node'

const words = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index} `)

/** Number of steps of the long run; the last one is the answer. */
export const STEPS = 5

/** A run of several steps with thinking, text and two calls each, about 300 frames long; the same each time. */
const createLongRun = (mark: string): Scenario => ({
  name: 'long run',
  summary: 'Grinds again and again, then tells what it has made',
  matches: (prompt) => prompt.startsWith('grind'),
  reply: ({ step, results }) => {
    if (step >= STEPS - 1) {
      const made = results.map(({ text }) => text).join(', ')
      return { blocks: [{ type: 'text', text: [...words(40, `flour${mark}`), made] }] }
    }
    const blocks: ScriptedBlock[] = [
      { type: 'thinking', thinking: words(15, `think${mark}`).join('') },
      { type: 'text', text: words(25, `stone${mark}`) },
      { type: 'tool_use', name: 'grind', input: { sacks: step * 2 + 1 } },
      { type: 'tool_use', name: 'grind', input: { sacks: step * 2 + 2 } },
    ]
    return { blocks }
  },
})

/** A run that asks the browser one question and ends with the answer. */
const question: Scenario = {
  name: 'question',
  summary: 'Asks which grain to use',
  matches: (prompt) => prompt.startsWith('ask'),
  reply: ({ step, results }) =>
    step === 0
      ? { blocks: [{ type: 'tool_use', name: 'choose_grain', input: {} }] }
      : { blocks: [{ type: 'text', text: `It is ${results[0]?.text ?? 'nothing'}.` }] },
}

/** A run that ships something after an approval, with the same text for any decision. */
const order: Scenario = {
  name: 'order',
  summary: 'Ships flour',
  matches: (prompt) => prompt.startsWith('order'),
  reply: ({ step }) =>
    step === 0
      ? {
          blocks: [
            { type: 'text', text: words(10, 'sack') },
            { type: 'tool_use', name: 'ship', input: { sacks: 2 } },
          ],
        }
      : { blocks: [{ type: 'text', text: words(40, 'cart') }] },
}

/**
 * A run with characters of two, three and four bytes, and a source whose name continues in the next frame. [CHUNK-5]
 */
const tale: Scenario = {
  name: 'tale',
  summary: 'Tells of mills in several scripts',
  matches: (prompt) => prompt.startsWith('tell'),
  reply: () => {
    const citation = {
      type: 'char_location',
      cited_text: 'Das Mühlrad dreht sich.',
      document_title: 'Mühlenbuch 水車誌 🌾 '.repeat(80),
      document_index: 0,
      start_char_index: 0,
      end_char_index: 23,
    }
    const text = Array.from({ length: 12 }, (_, index) => `Mühle ${index} 水車 🌾 "\n`)
    return {
      blocks: [
        { type: 'thinking', thinking: 'Wasser über Räder… 水は流れる 💧 and on.' },
        { type: 'text', text, citations: [citation] },
      ],
    }
  },
}

/** A request to a model; times are those of `process.hrtime.bigint()`. */
export interface ModelCall {
  /** The time when the caller passed it to `fetch`; undefined if it is not in the request. */
  readonly sentAt: bigint | undefined
  readonly receivedAt: bigint
}

/** The emulated model of a trial, over real HTTP. */
export interface OpenModel {
  readonly url: string
  /** The number of its answers so far. */
  readonly requests: () => number
  close(): Promise<void>
}

/** A model that records the times of its requests. */
export interface TimedModel extends OpenModel {
  /** The requests that it has received so far. */
  readonly received: readonly ModelCall[]
}

/**
 * Starts the model; its pace allows faults at any point of a run. A mark in each word identifies
 * the model. Additional scenarios come before its own.
 */
export async function openModel(
  tokensPerSecond = 1_500,
  mark = '',
  scenarios: readonly Scenario[] = [],
): Promise<TimedModel> {
  const pace = { tokensPerSecond, firstTokenMs: 1, jitter: 0 }
  let requests = 0
  const emulator = createEmulator({
    scenarios: [...scenarios, createLongRun(mark), question, order, tale],
    pace,
    // Two models must not use the same ids for their calls.
    seed: `faults${mark}`,
    onRequest: () => requests++,
  })
  const received: ModelCall[] = []
  const fetch = (request: Request): Promise<Response> => {
    const sent = request.headers.get('x-trial-sent')
    const sentAt = sent === null ? undefined : BigInt(sent)
    received.push({ sentAt, receivedAt: process.hrtime.bigint() })
    return emulator.fetch(request)
  }
  const { url, close } = await serve({ handler: { fetch }, port: 0, closeGraceMs: 50 })
  return { url, close, requests: () => requests, received }
}

import { encodeSse } from 'millrace'
import { section } from './content.ts'

/** A long conversation that ended before a page opens it. */
export interface Conversation {
  readonly session: string
  readonly blockCount: number
  /** The whole conversation as an event stream of a server. */
  readonly log: string
  /** The end of its last answer. */
  readonly lastWords: string
}

type Fields = Readonly<Record<string, unknown>>
type Talk = readonly Fields[]

const session = '5d1f0c7a-9b3e-4a26-8c54-7e60d2b1f983'
/** Each group has a thought, three calls and a text. */
const GROUP_BLOCKS = 5
/** The run in the middle has this share of all groups; every other run has one group. */
const PART_IN_MIDDLE = 0.7
const usage = { input_tokens: 1_200, output_tokens: 340 }

const answers: readonly ((number: number) => string)[] = [
  (number) => `Sack ${number} is ground. The stone runs **even**, and the gate stays as it is.`,
  section,
  (number) => `1. weigh sack ${number}\n2. open the gate\n   - by a hand at first\n3. listen`,
  (number) => `${section(number)}\n\n${section(number + 1)}`,
]

/** Creates a conversation with this many blocks; its last runs are the same at any length. */
export function createConversation(blockCount: number): Conversation {
  const groupCount = blockCount / GROUP_BLOCKS
  const middleCount = Math.round(groupCount * PART_IN_MIDDLE)
  const runCount = groupCount - middleCount
  const middle = Math.floor(runCount / 2)
  const frames: string[] = []
  const write = (talk: Talk): void => {
    for (const message of talk) frames.push(encodeMessage(message, frames.length + 1))
  }
  let left = groupCount
  for (let run = runCount; run >= 0; run--) {
    write([meta('meta_init', { user_query: `Grind lot ${run}, please.`, model: 'scripted' })])
    for (let count = run === middle ? middleCount : 1; count > 0 && left > 0; count--)
      write(tellGroup(--left))
    write([meta('meta_end', { stop_reason: 'end_turn', total_steps: 1, usage, cost: null })])
  }
  frames.push('data: [DONE]\n\n')
  return { session, blockCount, log: frames.join(''), lastWords: wordsOf(0) }
}

const wordsOf = (number: number): string => `So much for lot ${number}.`

function tellGroup(number: number): Talk {
  const tellAnswer = answers[number % answers.length] ?? section
  const thought = `Lot ${number} is next; its sacks are by the door. `.repeat(1 + (number % 5))
  const text = `${tellAnswer(number)}\n\n${wordsOf(number)}`
  return [
    { type: 'thinking', delta: thought },
    ...call(`weigh_${number}`, 'weigh', { lot: number }, `${40 + (number % 20)} kg`),
    ...call(`look_${number}`, 'look', { at: ['gate', 'wheel'], lot: number }, lookAt(number)),
    ...call(`grind_${number}`, 'grind', { lot: number, fineness: 'coarse' }, 'Ground.'),
    { type: 'text', delta: text },
  ]
}

/** A result of some lines, like those of a search. */
function lookAt(number: number): string {
  const lines = Array.from({ length: 2 + (number % 7) }, (_, line) => ({ line, level: 12 + line }))
  return JSON.stringify({ gate: 'open', lines })
}

function call(id: string, name: string, input: object, result: string): Talk {
  return [
    { type: 'tool_call', id, name, delta: JSON.stringify(input) },
    { type: 'tool_result', id, name, delta: result },
  ]
}

function meta(type: string, fields: object): Fields {
  return { type, delta: JSON.stringify({ format: 'json', agent_uuid: session, ...fields }) }
}

function encodeMessage(fields: Fields, id: number): string {
  const data = JSON.stringify({ agent: session, final: true, ...fields })
  return encodeSse({ id: String(id), data })
}

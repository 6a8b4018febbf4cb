import type { Scenario, ScriptedBlock, ScriptedReply } from 'millrace-tools/emulator'
import { ROLES, type PlannedFault } from './planned-fault.ts'

/** A mark in all final content, and one in all content that a retry rolls back. */
export const GOOD = 'flour'
/** As long as the other word, so that token counts are the same. */
export const VOID = 'chaff'

const [, ...HANDS] = ROLES
const SACKS = [1, 2] as const

/** The prompt of a run; all have the same length, so that token counts are the same. */
export function promptOf(run: number): string {
  return `mill ${String(run).padStart(6, '0')} ${GOOD}`
}

/** The owner of a prompt. */
export interface Asked {
  readonly run: number
  readonly role: number
}

/** Reads a prompt of the root or the task of a sub-agent. A task of a void call matches nothing. */
export function readPrompt(prompt: string): Asked | undefined {
  const [, run, role = '0'] = /^mill (\d{6}) flour(?: hand (\d))?$/.exec(prompt) ?? []
  return run === undefined ? undefined : { run: Number(run), role: Number(role) }
}

/** The chunks of a text, each of which contains the word. */
function pieces(word: string, ...rest: readonly string[]): readonly string[] {
  return rest.map((text) => `${word} ${text} `)
}

/** Calls are numbered from the start in every conversation, so their ids collide. */
function call(name: string, index: number, input: readonly string[]): ScriptedBlock {
  return { type: 'tool_use', id: `functions_${name}_${index}`, name, input: ['', ...input] }
}

type Step = (word: string, asked: Asked) => readonly ScriptedBlock[]

const rootSteps: readonly Step[] = [
  (word, { run }) => [
    { type: 'thinking', thinking: word },
    { type: 'text', text: pieces(word, 'for', 'three hands') },
    ...HANDS.map((hand, index) => {
      const task = `${promptOf(run).replace(GOOD, word)} hand ${hand}`
      return call('spawn_subagent', index, ['{"agent_name":"hand",', `"task":"${task}"}`])
    }),
  ],
  (word) => [
    {
      type: 'text',
      text: pieces(word, 'of all hands', 'is', 'in the store'),
      citations: [
        {
          type: 'char_location',
          cited_text: `The ${word} book.`,
          document_title: 'Book',
          document_index: 0,
          start_char_index: 0,
          end_char_index: 15,
        },
      ],
    },
  ],
]

const handSteps: readonly Step[] = [
  (word, { role }) => [
    { type: 'text', text: pieces(word, `by hand ${role}`, 'now') },
    ...SACKS.map((sacks, index) =>
      call('grind', index, [`{"sacks":${sacks},`, `"makes":"${word}"}`]),
    ),
  ],
  (word, { role }) => [
    { type: 'thinking', thinking: word },
    { type: 'text', text: pieces(word, `of hand ${role}`, 'is', 'done') },
  ],
]

/** The script of all runs; `faultsOf` returns the faults of one, `onFault` is called for each attempt that fails. */
export function createFamilyScript({
  faultsOf,
  onFault,
}: {
  readonly faultsOf: (run: number) => readonly PlannedFault[]
  readonly onFault: (run: number) => void
}): Scenario {
  return {
    name: 'family',
    summary: 'A root with three sub-agents at once',
    matches: (prompt) => readPrompt(prompt) !== undefined,
    reply: ({ prompt, step, attempt }): ScriptedReply => {
      const asked = readPrompt(prompt) ?? { run: 0, role: 0 }
      const { run, role } = asked
      const toBlocks = (role === 0 ? rootSteps : handSteps)[step] ?? (() => [])
      const plannedFault = faultsOf(run).find(
        (one) => one.role === role && one.step === step && attempt < one.times,
      )
      if (plannedFault === undefined) return { blocks: toBlocks(GOOD, asked) }
      onFault(run)
      const { kind, event, times } = plannedFault
      return { blocks: toBlocks(VOID, asked), faults: [{ kind, at: { event }, times }] }
    },
  }
}

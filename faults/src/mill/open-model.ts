import { createEmulator, type Scenario, type ScriptedBlock } from 'millrace/emulator'
import { serve } from 'millrace/node'

const words = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index} `)

/** How many steps the long run has, the last of which is the answer. */
export const STEPS = 5

/** A run of several steps with thinking, text and two calls each, about 300 messages long; the same whenever it is asked. */
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

/** A run that asks one question of the browser and ends with the answer. */
const question: Scenario = {
  name: 'question',
  summary: 'Asks which grain to use',
  matches: (prompt) => prompt.startsWith('ask'),
  reply: ({ step, results }) =>
    step === 0
      ? { blocks: [{ type: 'tool_use', name: 'choose_grain', input: {} }] }
      : { blocks: [{ type: 'text', text: `It is ${results[0]?.text ?? 'nothing'}.` }] },
}

/** The emulated model of a trial, over real HTTP. */
export interface OpenModel {
  readonly url: string
  close(): Promise<void>
}

/** Starts the model; at its pace a run can be met anywhere. A mark in each of its words tells one model from another. */
export async function openModel(tokensPerSecond = 1_500, mark = ''): Promise<OpenModel> {
  const pace = { tokensPerSecond, firstTokenMs: 1, jitter: 0 }
  const emulator = createEmulator({
    scenarios: [createLongRun(mark), question],
    pace,
    seed: 'faults',
  })
  return serve({ handler: emulator, port: 0, closeGraceMs: 50 })
}

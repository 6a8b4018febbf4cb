import type { Agent } from '../../../src/agent/port/index.ts'
import type { Speed } from './emulated-mill.ts'

/** The abilities in the table of docs/agents-from-elsewhere.md, with their headings. */
export const abilities = {
  run: 'text, tool calls and results as they come',
  reasoning: 'reasoning',
  usage: 'usage of the run',
  resume: 'a cut reader resumes at its last frame',
  formats: 'streams in all formats',
  history: 'the loop gets the conversation so far',
  conversations: 'the history API has its messages',
  stop: 'a stop ends the run at once',
  error: 'a failed model call ends the run with an error',
  frontend: 'browser tools',
  approve: 'approvals and denials',
  edit: 'approval with edited arguments',
  crash: 'a run survives its server',
  steer: 'messages to a current run',
} as const

/** The name of an ability. */
export type Ability = keyof typeof abilities

/** An adapter under test. Its agent has the server tool `look_up`, the browser tool `ask_price`, and `pay`, which needs approval. */
export interface Kit {
  readonly title: string
  /** The abilities that it lacks with the reason, and notes on others. */
  readonly notes: Readonly<
    Partial<Record<Ability, { readonly lacks?: true; readonly text: string }>>
  >
  /** Opens an agent whose model has a speed. */
  readonly open: (speed: Speed) => Agent
}

/** The result of each server tool. */
export const toolResults = {
  look_up: ({ word }: { readonly word: string }) => `${word} is a grain`,
  pay: ({ euros }: { readonly euros: number }) => `paid ${euros} euros`,
}

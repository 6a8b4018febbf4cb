import { badRequest, checkOptions } from '../../errors/index.ts'
import type { Agent, RecoveryMode } from '../port/index.ts'
import { createForeignAgent } from './create-foreign-agent.ts'
import type { LoopInput } from './foreign-loop.ts'
import type { LoopEvent } from './loop-event.ts'

/** Options that all adapters share. */
export interface LoopOptions {
  /** Names the agent in `run_start`. */
  readonly name: string
  /** Description for people and for parent agents. */
  readonly description?: string
  /** The id of its model, shown to readers. */
  readonly model?: string
}

/** Options of {@link fromEvents}. */
export interface EventAgentOptions extends LoopOptions {
  /** Runs the loop until its end or pause. */
  readonly run: (input: LoopInput) => AsyncIterable<LoopEvent>
  /**
   * The recovery of a run whose server died. `rerun` calls `run` again with the same input. `continue` calls it with the messages up to
   * the last step or result that was stored. `end` ends the run with an error.
   */
  readonly recovery?: RecoveryMode
}

/** Creates an agent from a generator of readable events. */
export function fromEvents(options: EventAgentOptions): Agent {
  checkOptions('fromEvents', options, {
    name: 'string',
    description: 'string',
    model: 'string',
    run: 'function',
    recovery: 'string',
  })
  const { run, recovery = 'rerun' } = options
  checkLoop('fromEvents', options, recovery)
  const { name, description, model } = options
  if (typeof run !== 'function')
    throw badRequest('`fromEvents` needs `run`, an async generator of events.')
  return createForeignAgent({
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    recovery,
    run: ({ memory: _, remembered: _remembered, ...input }) => checkSource(run(input)),
  })
}

/** Rejects the result of a loop in JavaScript that is no source of events. */
function checkSource(source: AsyncIterable<LoopEvent>): AsyncIterable<LoopEvent> {
  if (typeof source?.[Symbol.asyncIterator] === 'function') return source
  throw badRequest(
    '`run` of `fromEvents` must return an async iterable of events: make it an async generator, `async function* () { … }`.',
  )
}

const modes: readonly string[] = ['continue', 'rerun', 'end'] satisfies RecoveryMode[]

/** Checks the options that all adapters share. */
export function checkLoop(
  owner: string,
  { name }: LoopOptions,
  recovery: string,
  allowed = modes,
): void {
  if (typeof name !== 'string' || name === '')
    throw badRequest(`\`${owner}\` needs a \`name\` for the agent.`)
  if (allowed.includes(recovery)) return
  const values = allowed.map((value) => `"${value}"`).join(', ')
  throw badRequest(
    `The option \`recovery\` of \`${owner}\` is ${JSON.stringify(recovery)}; it must be one of ${values}.`,
  )
}

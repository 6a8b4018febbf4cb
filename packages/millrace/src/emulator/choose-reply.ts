import type { EmulatorContext, Exchange } from './emulator-context.ts'
import { decodeFaults } from './faults/decode-faults.ts'
import { dueFaults } from './faults/due-faults.ts'
import type { Fault, FaultKind } from './faults/fault.ts'
import { findReply } from './find-reply.ts'
import type { MessagesRequest } from './messages-request.ts'
import type { Pace } from './pace.ts'
import { createRandom } from './random.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { toTurn } from './turn.ts'

/** Names faults of one request, as text. */
const FAULT_HEADER = 'x-millrace-fault'

/** Faults after which a client has to ask again. */
const breaking: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'status',
  'error',
  'cut',
  'end',
  'stall',
  'bad_json',
  'spliced_start',
])

/** What is said in answer to a request, and what goes wrong with it. */
export interface ChosenReply {
  readonly reply: ScriptedReply
  readonly faults: readonly Fault[]
  /** How fast it is said. */
  readonly pace: Pace | 'instant'
  /** To be called when nothing of it is said any more. */
  readonly onEnd: () => void
}

/** What a request has to tell for a reply to be chosen, in whatever API. */
export type AskedRequest = Pick<MessagesRequest, 'model' | 'messages' | 'tools' | 'notices'>

/** Chooses what to say, counts the attempt, and notes both; throws `bad_request` for a fault that is none. */
export function chooseReply(
  { scenarios, faults: always, pace, attempts, endedAnswers }: EmulatorContext,
  { request, seed, note }: Exchange,
  { asked, body }: { readonly asked: AskedRequest; readonly body: string },
): ChosenReply {
  const once = decodeFaults(request.headers.get(FAULT_HEADER) ?? '')
  const attempt = attempts.countOf(body)
  const turn = toTurn(asked, attempt)
  const { reply, scenario, usualPace = pace } = findReply(scenarios, turn, endedAnswers.isLongAgo)
  const random = createRandom(`${seed}/chance`)
  const own = reply.faults ?? []
  const faults = dueFaults([...always, ...once, ...own], { attempt, random })
  attempts.settle(body, isBroken(reply, faults))
  const { model, notices } = asked
  note({ model, scenario, notices, faults: faults.map(({ kind }) => kind) })
  endedAnswers.begin(asked.messages)
  const onEnd = (): void => endedAnswers.end(asked.messages)
  const chosen = reply.pace ?? (pace === 'instant' ? pace : usualPace)
  return { reply, faults, pace: withCatchUp(chosen, pace), onEnd }
}

/** Whether late frames are sent together is for the emulator to say, whatever pace a reply has. */
function withCatchUp(chosen: Pace | 'instant', usual: Pace | 'instant'): Pace | 'instant' {
  if (chosen === 'instant' || usual === 'instant' || usual.catchUp === undefined) return chosen
  return { catchUp: usual.catchUp, ...chosen }
}

function isBroken({ blocks }: ScriptedReply, faults: readonly Fault[]): boolean {
  return (
    blocks.some(({ type }) => type === 'error') || faults.some(({ kind }) => breaking.has(kind))
  )
}

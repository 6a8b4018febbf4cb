import type { EmulatorContext, Exchange } from '../emulator-context.ts'
import { decodeFaults } from '../faults/decode-faults.ts'
import { selectFaults, type Fault, type FaultKind } from '../faults/fault.ts'
import { findReply } from './find-reply.ts'
import type { MessagesRequest } from '../request/messages-request.ts'
import type { Pace } from '../pace.ts'
import { createRandom } from '../random.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { toTurn } from './turn.ts'

/** Header that adds faults to one request, in the text notation of `decodeFaults`. */
const FAULT_HEADER = 'x-millrace-fault'

/** Faults that force a client to send the request again. */
const breaking: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'status',
  'error',
  'cut',
  'end',
  'stall',
  'bad_json',
  'spliced_start',
])

/** The reply to a request, with its faults and pace. */
export interface ChosenReply {
  readonly reply: ScriptedReply
  readonly faults: readonly Fault[]
  readonly pace: Pace | 'instant'
  /** Must be called when no more of the reply is sent. */
  readonly onEnd: () => void
}

/** The fields of a request that select a reply, in either API. */
type AskedRequest = Pick<MessagesRequest, 'model' | 'messages' | 'tools' | 'notices'>

/** Selects the reply, counts the attempt and records both; throws `bad_request` for an unknown fault. */
export function chooseReply(
  { scenarios, faults: always, pace, attempts, endedAnswers }: EmulatorContext,
  { request, seed, note }: Exchange,
  { asked, body }: { readonly asked: AskedRequest; readonly body: string },
): ChosenReply {
  const once = decodeFaults(request.headers.get(FAULT_HEADER) ?? '')
  const attempt = attempts.countOf(body)
  const turn = toTurn(asked, attempt)
  const { reply, scenario, defaultPace = pace } = findReply(scenarios, turn, endedAnswers.isLongAgo)
  const random = createRandom(`${seed}/chance`)
  const own = reply.faults ?? []
  const faults = selectFaults([...always, ...once, ...own], { attempt, random })
  attempts.settle(body, isBroken(reply, faults))
  const { model, notices } = asked
  note({ model, scenario, notices, faults: faults.map(({ kind }) => kind) })
  endedAnswers.begin(asked.messages)
  const onEnd = (): void => endedAnswers.end(asked.messages)
  const chosen = reply.pace ?? (pace === 'instant' ? pace : defaultPace)
  return { reply, faults, pace: withCatchUp(chosen, pace), onEnd }
}

/** `catchUp` is always taken from the pace of the emulator, even for a reply with its own pace. */
function withCatchUp(chosen: Pace | 'instant', usual: Pace | 'instant'): Pace | 'instant' {
  if (chosen === 'instant' || usual === 'instant' || usual.catchUp === undefined) return chosen
  return { catchUp: usual.catchUp, ...chosen }
}

function isBroken({ blocks }: ScriptedReply, faults: readonly Fault[]): boolean {
  return (
    blocks.some(({ type }) => type === 'error') || faults.some(({ kind }) => breaking.has(kind))
  )
}

import type { ApprovalDecision } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { isJsonObject, type JsonObject } from '../../json/index.ts'
import type { ResumeEntry } from './run-input.ts'

const MAX_REASON_CHARS = 4096

const fields: ReadonlySet<string> = new Set(['approved', 'reason', 'editedArgs', 'inputHash'])

/** What is wrong with an answer, and how it should be; a call must never run by what may have meant something else. */
const faults: readonly (readonly [(given: JsonObject) => boolean, string])[] = [
  [
    ({ approved }) => typeof approved !== 'boolean',
    'does not say whether the call may run; send `payload: {"approved": true}` or false',
  ],
  [
    ({ editedArgs }) => editedArgs !== undefined && !isJsonObject(editedArgs),
    'has `editedArgs` that are no object; send all arguments of the call as one object, or leave them out to run it as it is',
  ],
  [
    ({ inputHash }) => inputHash !== undefined && !/^[\da-f]{64}$/.test(String(inputHash)),
    'has an `inputHash` that is no SHA-256 in lower-case hex; send the one of the interrupt, or leave it out',
  ],
  [
    ({ reason }) => reason !== undefined && typeof reason !== 'string',
    'has a `reason` that is no text; send text, or leave it out',
  ],
  [
    (given) => Object.keys(given).some((name) => !fields.has(name)),
    `holds something that is not known; its payload may have ${[...fields].join(', ')}`,
  ],
]

/** What the answer to an interrupt says of its call; one that is given up is a refusal. */
export function toDecision({
  interruptId: toolUseId,
  status,
  payload,
}: ResumeEntry): ApprovalDecision {
  const sent = isJsonObject(payload) ? payload : { approved: payload ?? null }
  const isGivenUp = status === 'cancelled'
  const given = isGivenUp ? { ...sent, approved: sent['approved'] ?? false } : sent
  const [, fault] = faults.find(([isFault]) => isFault(given)) ?? []
  if (fault !== undefined) throw unclear(toolUseId, fault)
  const { approved, reason, editedArgs, inputHash } = given
  if (isGivenUp && approved === true)
    throw unclear(toolUseId, 'is cancelled and yet approves the call; send one of both')
  const said =
    typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, MAX_REASON_CHARS) } : {}
  const edited = approved === true && isJsonObject(editedArgs) ? { input: editedArgs } : {}
  const shown = typeof inputHash === 'string' ? { inputHash } : {}
  const outcome = approved === true ? 'approved' : 'refused'
  return { toolUseId, outcome, ...said, ...edited, ...shown }
}

function unclear(interruptId: string, fault: string): MillraceError {
  const id = JSON.stringify(interruptId.slice(0, 80))
  return new MillraceError('bad_request', `The answer to the interrupt ${id} ${fault}.`)
}

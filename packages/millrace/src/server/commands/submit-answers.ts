import { type PauseAnswers, splitAnswers } from '../../agent/port/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { sleep } from '../../streams/index.ts'
import type { RunServices } from '../runs/run-services.ts'
import { decodeReceipt } from './receipts.ts'
import {
  type CommandPlace,
  decodeCommand,
  type RunCommand,
  type StoredCommand,
  submitCommand,
} from './run-command.ts'

/** An answer to one call, as stored in the inbox. */
interface SubmittedAnswer {
  /** Its key in the inbox. */
  readonly name: string
  readonly stored: StoredCommand
  readonly command: Extract<RunCommand, { readonly type: 'answer' }>
}

/** Maximum number of answers to one call without an effect. */
const MAX_VOID = 20
const RETRY_MS = 50

/**
 * Stores answers to calls of an active run, each under the key of its call, so that the store decides which answer is
 * first on any server. Throws `conflict` if another answer is stored, and `lease_lost` if this server's state is older
 * than the effect of an answer.
 */
export async function submitAnswers(
  services: RunServices,
  place: Omit<CommandPlace, 'key'>,
  answers: PauseAnswers,
): Promise<readonly SubmittedAnswer[]> {
  const submitted: SubmittedAnswer[] = []
  for (const [call, one] of splitAnswers(answers)) {
    const command = { type: 'answer', answers: one } as const
    submitted.push(await submitFirst(services, place, call, command))
  }
  return submitted
}

async function submitFirst(
  services: RunServices,
  place: Omit<CommandPlace, 'key'>,
  call: string,
  command: SubmittedAnswer['command'],
): Promise<SubmittedAnswer> {
  for (let attempt = 0; attempt < MAX_VOID; attempt++) {
    const name = `answer ${place.run} ${call} ${attempt}`
    const named = { ...place, key: { key: name, digest: '' } }
    const { command: known, isNew, stored } = await submitCommand(services, named, command)
    if (isNew) return { name, stored, command }
    if (known.isPending) {
      if (describe(decodeCommand(known).command) === describe(command))
        return { name, stored, command }
      throw answeredOtherwise(call)
    }
    if (decodeReceipt(known).state === 'done') {
      await sleep(RETRY_MS, services.closed)
      throw new MillraceError(
        'lease_lost',
        `Call ${call} was just answered; try again in a moment.`,
      )
    }
  }
  throw answeredOtherwise(call)
}

/** Encodes the content of an answer, without its time and sender. */
function describe(command: RunCommand): string {
  const { results = [], decisions = [] } = command.type === 'answer' ? command.answers : {}
  return JSON.stringify([
    results.map(({ content, isError = false }) => [content, isError]),
    decisions.map(({ outcome, input, reason }) => [outcome, input, reason]),
  ])
}

function answeredOtherwise(call: string): MillraceError {
  return new MillraceError(
    'conflict',
    `Call ${call} already has another answer; the first answer counts.`,
  )
}

import type { GivenAnswer, PauseAnswers } from '../../agent/port/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { StoredSession } from '../sessions/session-record.ts'
import { newestResults, questionIn, type RunInput, toolMessages } from './run-input.ts'
import { pendingIn } from '../sessions/record-writer.ts'
import { type Thread, toPromptOptions } from './thread.ts'
import { toResult } from './thread-answers.ts'
import { isSnapshotId } from './thread-history.ts'
import { toDecision } from './to-decision.ts'

/** The calls whose results a client holds because it, or another page, has given them. */
export function heldResults(input: RunInput, answers: readonly GivenAnswer[]): ReadonlySet<string> {
  const given = idsOf(answers, 'result')
  const held = toolMessages(input).map(({ toolCallId }) => String(toolCallId))
  return new Set(held.filter((id) => given.has(id)))
}

/**
 * Refuses what contradicts an answer that was taken before, with `conflict`. Results in front of a new question are a
 * part of the client's history, which is never believed and needs no refusal.
 */
export async function checkRepeats(thread: Thread, stored: StoredSession): Promise<void> {
  const { input } = thread
  const decided = idsOf(givenIn(stored), 'decision')
  const entries = (input.resume ?? []).filter(({ interruptId }) => decided.has(interruptId))
  const contradiction = await contradictionOf(thread, { decisions: entries.map(toDecision) })
  if (contradiction !== undefined) throw contradiction
  if (questionIn(input) !== undefined) return
  const given = idsOf(givenIn(stored), 'result')
  const told = newestResults(input).filter(({ toolCallId }) => given.has(String(toolCallId)))
  for (const message of told) await checkResult(thread, message)
}

async function checkResult(thread: Thread, message: JsonObject): Promise<void> {
  // Files are labels in what the server itself has told.
  if (isSnapshotId(String(message['id']))) return
  const result = await toResult(String(message['toolCallId']), message, toPromptOptions(thread))
  const contradiction = await contradictionOf(thread, { results: [result] })
  if (contradiction === undefined) return
  // Clients that were told a result have it without its being an error.
  const failed = { ...result, isError: true }
  if ((await contradictionOf(thread, { results: [failed] })) !== undefined) throw contradiction
}

/** The error if answers differ from those that were taken; undefined if these are not known any more. */
async function contradictionOf(
  { context, session }: Thread,
  answers: PauseAnswers,
): Promise<Error | undefined> {
  const [verdict] = await context.runs.judge(session, [answers])
  return verdict?.verdict === 'conflict' ? verdict.error : undefined
}

/** All answers that a session knows: those it remembers, and those of its open turn. */
export function givenIn(stored: StoredSession): readonly GivenAnswer[] {
  return [...stored.answers, ...(pendingIn(stored).answered ?? [])]
}

function idsOf(given: readonly GivenAnswer[], wanted: GivenAnswer['kind']): ReadonlySet<string> {
  return new Set(given.filter(({ kind }) => kind === wanted).map(({ toolUseId }) => toolUseId))
}

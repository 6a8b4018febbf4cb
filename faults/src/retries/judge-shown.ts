import type { Page } from '../../../spec/seed-clients/index.ts'
import { GOOD, VOID } from './family-script.ts'
import { type Shown, type ShownAgent, type ShownRun, toShownRun } from './shown-run.ts'

/** The frames that a client has read, and the content that it had to show. */
export interface Reading {
  readonly page: Page
  readonly body: string
  readonly session: string
  /** The content of the same client for a run without faults. */
  readonly wanted: ShownRun
  /** The agents whose steps were retried, by role. */
  readonly retried: ReadonlySet<number>
  /** Whether void content may be shown: to live readers, never in a replay or with `settled=1`. */
  readonly mayShowVoid: boolean
  /** Whether void blocks that it has not received may be closed, because its cursor cannot show that they were omitted. [LOG-10] */
  readonly mayCloseVoid: boolean
}

/** Kinds of mistakes, as counted in the table. */
export type MistakeKind = 'endless' | 'incomplete' | 'void' | 'errors' | 'others'

/** Content that a client shows by mistake, or does not show. */
export interface Mistake {
  readonly kind: MistakeKind
  readonly text: string
}

/** Finds defects in the content of a client. */
export function judgeShown(reading: Reading): readonly Mistake[] {
  const { page, body, session, wanted, retried, mayShowVoid, mayCloseVoid } = reading
  const shown = toShownRun(page, session)
  const mistakes = [...judgeEnd(page)]
  if (!mayShowVoid && body.includes(VOID))
    mistakes.push({ kind: 'void', text: `void content: ${around(body, VOID)}` })
  wanted.forEach((agent, role) => {
    const isAllowed = ({ content }: Shown): boolean =>
      retried.has(role) && (mayShowVoid || (mayCloseVoid && content === ''))
    mistakes.push(...judgeAgent(role, agent, shown[role] ?? nothing, isAllowed))
  })
  return mistakes
}

function* judgeEnd({ isDone, agents, errors, pending }: Page): Generator<Mistake> {
  if (!isDone) yield { kind: 'endless', text: 'no [DONE]' }
  const blocks = [...agents.values()].flat()
  for (const { type, content } of blocks.filter((block) => !block.isDone))
    yield { kind: 'endless', text: `a ${type} was never closed: ${JSON.stringify(content)}` }
  for (const error of errors) yield { kind: 'errors', text: `error ${JSON.stringify(error)}` }
  if (pending.length > 0) yield { kind: 'errors', text: 'calls are still pending' }
  const finals = blocks.filter(({ type }) => type === 'meta_final')
  if (finals.length !== 1)
    yield { kind: 'incomplete', text: `${finals.length} messages of type meta_final` }
  if (finals.some(({ content }) => content.includes(VOID)))
    yield { kind: 'void', text: 'void content in meta_final' }
}

const nothing: ShownAgent = { said: [], results: [] }

function* judgeAgent(
  role: number,
  wanted: ShownAgent,
  shown: ShownAgent,
  isAllowed: (extra: Shown) => boolean,
): Generator<Mistake> {
  const { standing, extras } = alignBlocks(shown.said, wanted.said)
  const missing = wanted.said[standing.length]
  if (missing !== undefined)
    yield { kind: 'incomplete', text: `agent ${role} lacks ${JSON.stringify(missing)}` }
  for (const extra of extras) {
    if (isAllowed(extra) && isVoid(extra, wanted.said)) continue
    yield { kind: 'void', text: `agent ${role} has another ${JSON.stringify(extra)}` }
  }
  const own = describeResults(shown.results, standing)
  const expected = describeResults(wanted.results, wanted.said)
  if (own !== expected)
    yield { kind: 'incomplete', text: `agent ${role} has results ${own} and not ${expected}` }
}

/** Finds the expected blocks, in order, and the other shown blocks. */
function alignBlocks(
  shown: readonly Shown[],
  wanted: readonly Shown[],
): { readonly standing: readonly Shown[]; readonly extras: readonly Shown[] } {
  const standing: Shown[] = []
  const extras: Shown[] = []
  for (const block of shown) {
    const next = wanted[standing.length]
    if (next !== undefined && isSame(block, next)) standing.push(block)
    else extras.push(block)
  }
  return { standing, extras }
}

/** The order of two calls with one id depends on timing, so ids differ between runs. */
function isSame(one: Shown, other: Shown): boolean {
  return (
    one.type === other.type && one.content === other.content && one.citations === other.citations
  )
}

/** Whether a block is the beginning of one that a failed attempt has shown. */
function isVoid({ type, content }: Shown, wanted: readonly Shown[]): boolean {
  return wanted.some(
    (block) => block.type === type && block.content.replaceAll(GOOD, VOID).startsWith(content),
  )
}

/** Results with the position of their call in place of its id. */
function describeResults(results: readonly Shown[], said: readonly Shown[]): string {
  const calls = said.filter(({ type }) => type === 'tool_call').map(({ id }) => id)
  return results
    .map(({ id, content }) => `${calls.indexOf(id)}: ${content}`)
    .toSorted()
    .join('; ')
}

function around(text: string, word: string): string {
  const position = text.indexOf(word)
  return JSON.stringify(text.slice(Math.max(0, position - 120), position + 60))
}

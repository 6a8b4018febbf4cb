import type { Page, ShownBlock } from '../../../spec/seed-clients/index.ts'
import { ROLES } from './planned-fault.ts'

/** The comparable part of a block. */
export interface Shown {
  readonly type: string
  readonly content: string
  /** Its citation, as JSON. */
  readonly citations: string
  readonly id: string
}

/** The content of one agent in a client. */
export interface ShownAgent {
  /** Texts, thoughts and calls, in order. */
  readonly said: readonly Shown[]
  /** Results, in the order in which calls end. */
  readonly results: readonly Shown[]
}

/** The content of a run in a client, by role. */
export type ShownRun = readonly ShownAgent[]

const RESULT = 'tool_result'

/** Makes texts of different runs comparable: removes ids of sessions and numbers of runs. */
export function withoutIds(text: string, session: string): string {
  return text.replaceAll(session, 'SESSION').replaceAll(/mill \d{6}/g, 'mill RUN')
}

/** Extracts the content of a run in a client. */
export function toShownRun(page: Page, session: string): ShownRun {
  const blocks = [...page.agents].flatMap(([agent, own]) =>
    own
      .filter(({ type }) => !type.startsWith('meta_') && type !== 'error')
      .map((block) => ({ role: roleOf(block, agent), shown: toShown(block, session) })),
  )
  return ROLES.map((role) => {
    const own = blocks.filter((block) => block.role === role).map(({ shown }) => shown)
    const isResult = ({ type }: Shown): boolean => type === RESULT
    return { said: own.filter((one) => !isResult(one)), results: own.filter(isResult) }
  })
}

/** The ids of sub-agents are that of the session, a dot and a number. XML names agents in an attribute. */
function roleOf({ fields }: ShownBlock, agent: string): number {
  const id = String(fields['agent'] ?? agent)
  return Number(/\.(\d+)$/.exec(id)?.[1] ?? 0)
}

function toShown({ type, content, citations, fields }: ShownBlock, session: string): Shown {
  const own = citations.map(({ agent: _, ...citation }) => citation)
  return {
    type,
    content: withoutIds(content, session),
    citations: own.length === 0 ? '' : JSON.stringify(own),
    id: String(fields['id'] ?? ''),
  }
}

import {
  type Page,
  readJsonBody,
  readXmlBody,
  type ShownBlock,
} from '../../../../../spec/seed-clients/index.ts'

/** A way in which clients of the seeds read a run. */
export interface SeedMode {
  readonly name: string
  /** Their suffix of the address of a stream. */
  readonly query: string
  readonly read: (body: string) => Page
}

/** The clients of the seeds: JSON as it is, JSON without extensions, and XML. */
export const seedModes: readonly SeedMode[] = [
  { name: 'json', query: '', read: readJsonBody },
  { name: 'extensions=none', query: 'extensions=none', read: readJsonBody },
  { name: 'xml', query: 'format=xml', read: readXmlBody },
]

/** The comparable part of a block. */
export interface Shown {
  readonly type: string
  readonly content: string
  readonly id: unknown
}

/** The content of the root of a run in a client, without metadata. */
export function shownBlocks(page: Page, session: string): Shown[] {
  const blocks = page.agents.get(session) ?? []
  return blocks.filter(({ type }) => !type.startsWith('meta_') && type !== 'error').map(toShown)
}

function toShown({ type, content, fields }: ShownBlock): Shown {
  return { type, content, id: fields['id'] }
}

/** The blocks that a client shows besides the expected ones, which must all be present, in order. */
export function extraBlocks(shown: readonly Shown[], wanted: readonly Shown[]): Shown[] {
  const extras: Shown[] = []
  let next = 0
  for (const block of shown) {
    if (JSON.stringify(block) === JSON.stringify(wanted[next])) next++
    else extras.push(block)
  }
  if (next < wanted.length) throw new Error(`Missing: ${JSON.stringify(wanted[next])}`)
  return extras
}

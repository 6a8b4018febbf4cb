/** An image of a tool result. */
export interface ShownImage {
  readonly src: string
  readonly mediaType: string
}

/** One finished or growing block, as a page would show it. */
export interface ShownBlock {
  /** The `type` of the message, or the name of the tag without `content-block-`. */
  readonly type: string
  content: string
  isDone: boolean
  /** Fields beside the content: `id`, `name` and so on. */
  readonly fields: Record<string, unknown>
  readonly citations: Record<string, unknown>[]
  readonly images: ShownImage[]
  /** `chart` and `table` elements inside a text. */
  readonly embedded: string[]
}

/** A call that waits for the page. */
export interface PendingTool {
  readonly tool_use_id: string
  readonly name: string
  readonly input: unknown
}

/** Everything that a page would show of a stream. */
export interface Page {
  /** Blocks in the order in which they were opened, for each agent. */
  readonly agents: Map<string, ShownBlock[]>
  pending: PendingTool[]
  readonly errors: unknown[]
  /** Whether `[DONE]` came. */
  isDone: boolean
}

/** A page with nothing on it. */
export function createPage(): Page {
  return { agents: new Map(), pending: [], errors: [], isDone: false }
}

/** Opens a block of an agent. */
export function openBlock(page: Page, agent: string, type: string): ShownBlock {
  const block = { type, content: '', isDone: false, fields: {}, citations: [], images: [] }
  const shown: ShownBlock = { ...block, embedded: [] }
  const blocks = page.agents.get(agent) ?? []
  blocks.push(shown)
  page.agents.set(agent, blocks)
  return shown
}

/** The payloads of the `data:` lines of a body, in order. */
export function dataLines(body: string): string[] {
  const lines = body.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5))
}

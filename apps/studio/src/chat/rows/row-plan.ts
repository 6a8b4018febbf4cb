import type { AgentNode, Block, TextBlock } from 'millrace'

/** What a row shows: a question, blocks of some kind, what a step took, or how a run ended. */
export type RowKind = 'prompt' | 'text' | 'thinking' | 'card' | 'message' | 'error' | 'step' | 'end'

/** How much of an agent the rows before one show. */
interface Cursor {
  readonly block: number
  readonly run: number
  readonly step: number
}

/** One row of an agent's column. */
export interface Row {
  readonly key: string
  readonly kind: RowKind
  /** What the row above shows. */
  readonly above: RowKind | undefined
  /** The position of its run, its step or its first block. */
  readonly at: number
  /** The position after its last block, and that block's key. */
  readonly to: number
  readonly endKey: number
  readonly since: Cursor
}

/** The rows of an agent, brought up to date at their end only: nothing before it ever changes its place. */
export interface RowPlan {
  /** All rows, always in the same list; what it costs depends on what is new. */
  update(node: AgentNode): readonly Row[]
}

/** A flow of text is split behind this many blocks once a line ends, and in any case behind four times as many. */
const LONG_FLOW = 64

const kinds: Readonly<Record<Block['type'], RowKind>> = {
  text: 'thinking', // a summary that the model wrote for itself
  thinking: 'thinking',
  tool_call: 'card',
  server_tool_call: 'card',
  tool_result: 'card',
  server_tool_result: 'card',
  user_message: 'message',
  error: 'error',
}

/** Creates a plan without rows. */
export function createRowPlan(): RowPlan {
  return new IncrementalRowPlan()
}

class IncrementalRowPlan implements RowPlan {
  readonly #rows: Row[] = []
  #cursor: Cursor = { block: 0, run: 0, step: 0 }

  update(node: AgentNode): readonly Row[] {
    const rows = this.#rows
    for (let last = rows.at(-1); last && !isPresent(last, node); last = rows.at(-1)) this.#drop()
    const { blocks, runs } = node
    for (;;) {
      const { block, run } = this.#cursor
      const next = runs.at(run)
      if (run < runs.length && next && next.firstBlock <= block) this.#openRun()
      else if (block < blocks.length) this.#takeBlock(node)
      else break
    }
    if (this.#cursor.run > 0) this.#add('end', this.#cursor.run - 1)
    return rows
  }

  #drop(): void {
    const dropped = this.#rows.pop()
    if (dropped) this.#cursor = dropped.since
  }

  #add(kind: RowKind, at: number, block?: Block): void {
    const above = this.#rows.at(-1)?.kind
    const key = block ? `block-${block.key}` : `${kind}-${at}`
    const since = this.#cursor
    this.#rows.push({ key, kind, above, at, to: at + 1, endKey: block?.key ?? 0, since })
  }

  #openRun(): void {
    const { run } = this.#cursor
    if (run > 0) this.#add('end', run - 1)
    this.#add('prompt', run)
    this.#cursor = { ...this.#cursor, run: run + 1 }
  }

  #takeBlock(node: AgentNode): void {
    if (this.#takeStep(node)) return
    const { blocks } = node
    const { block: position } = this.#cursor
    const block = blocks.at(position)
    if (!block) return
    const last = this.#rows.at(-1)
    if (!isFlowText(block)) this.#add(kinds[block.type], position, block)
    else if (last?.kind === 'text' && !isFull(last, blocks.at(position - 1)))
      this.#rows[this.#rows.length - 1] = { ...last, to: position + 1, endKey: block.key }
    else this.#add('text', position, block)
    this.#cursor = { ...this.#cursor, block: position + 1 }
  }

  /** Takes a step that has ended before the next block, if there is one. */
  #takeStep({ runs, steps }: AgentNode): boolean {
    const { block, run, step } = this.#cursor
    const mark = step < steps.length ? steps.at(step) : undefined
    if (!mark || mark.afterBlock > block) return false
    // What the last step of a run took is part of how the run ended.
    const isOfEarlierRun = run > 0 && mark.afterBlock <= (runs.at(run - 1)?.firstBlock ?? 0)
    if (!isOfEarlierRun) this.#add('step', step)
    this.#cursor = { ...this.#cursor, step: step + 1 }
    return true
  }
}

function isFull({ at, to }: Row, last: Block | undefined): boolean {
  const count = to - at
  if (count < LONG_FLOW) return false
  return count >= LONG_FLOW * 4 || (last?.type === 'text' && last.text.endsWith('\n'))
}

/**
 * Whether the last row can stay: a step may be taken back, and the past shows less. The end of a run, and of a step,
 * is there because of what follows it.
 */
function isPresent(row: Row, { blocks, runs }: AgentNode): boolean {
  if (row.kind === 'end' || row.kind === 'step') return false
  if (row.kind === 'prompt') return row.at < runs.length
  return row.to <= blocks.length && blocks.at(row.to - 1)?.key === row.endKey
}

/** Tells a block that belongs to the flow of the answer, with others before and behind it. */
export function isFlowText(block: Block): block is TextBlock {
  return block.type === 'text' && !block.compaction
}

import type { AgentNode, Block, TextBlock } from 'millrace'

/** Content of a row: a prompt, blocks of one kind, the usage of a step, or the end of a run. */
export type RowKind = 'prompt' | 'text' | 'thinking' | 'card' | 'message' | 'error' | 'step' | 'end'

/** Number of blocks, runs and steps before a row. */
interface Cursor {
  readonly block: number
  readonly run: number
  readonly step: number
}

/** A row of an agent's column. */
export interface Row {
  readonly key: string
  readonly kind: RowKind
  /** Kind of the row above. */
  readonly above: RowKind | undefined
  /** Position of its run, its step or its first block. */
  readonly at: number
  /** Position after its last block, and the key of that block. */
  readonly to: number
  readonly endKey: number
  readonly since: Cursor
}

/** Rows of an agent, updated only at their end. */
export interface RowPlan {
  /** Returns all rows in the same list; the cost depends on the new blocks only. */
  update(node: AgentNode): readonly Row[]
}

/**
 * The number of blocks after which a row of text is split at the end of a line; at four times as many it is always
 * split.
 */
const LONG_FLOW = 64

const kinds: Readonly<Record<Block['type'], RowKind>> = {
  text: 'thinking', // a summary by the model
  thinking: 'thinking',
  tool_call: 'card',
  server_tool_call: 'card',
  tool_result: 'card',
  server_tool_result: 'card',
  user_message: 'message',
  error: 'error',
}

/** Creates an empty plan. */
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

  /** Adds a step that ended before the next block. */
  #takeStep({ runs, steps }: AgentNode): boolean {
    const { block, run, step } = this.#cursor
    const mark = step < steps.length ? steps.at(step) : undefined
    if (!mark || mark.afterBlock > block) return false
    // The usage of the last step is part of the end of the run.
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
 * Reports whether the last row stays: a rollback or a past moment removes blocks. Rows of an end or a step depend on
 * the rows after them.
 */
function isPresent(row: Row, { blocks, runs }: AgentNode): boolean {
  if (row.kind === 'end' || row.kind === 'step') return false
  if (row.kind === 'prompt') return row.at < runs.length
  return row.to <= blocks.length && blocks.at(row.to - 1)?.key === row.endKey
}

/** Reports whether a block is text of the answer, which is joined with adjacent texts. */
export function isFlowText(block: Block): block is TextBlock {
  return block.type === 'text' && !block.compaction
}

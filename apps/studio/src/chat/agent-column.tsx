import { memo, useCallback } from 'react'
import { agentOf } from 'millrace'
import type { AgentNode, Block, RunMark, Sequence, TextBlock, Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { BlockView, isFlowing } from './block-view.tsx'
import { RunFooter } from './run-footer.tsx'
import { TextView } from './text-view.tsx'
import { UserBubble } from './user-bubble.tsx'

interface AgentColumnProps {
  readonly agent: string
  readonly isRoot?: boolean
  readonly busy?: boolean
  readonly onAskAgain?: (prompt: string) => void
}

/** All that an agent was asked and has answered. */
export function AgentColumn({ agent, isRoot = false, busy = false, onAskAgain }: AgentColumnProps) {
  const { session } = useStudio()
  const select = useCallback((transcript: Transcript) => agentOf(transcript, agent), [agent])
  const node = useTranscript(session, select)
  if (!node) return null
  return sections(node).map(({ run, from, to, last }) => (
    <RunSection
      key={from.toString() + (run?.runId ?? '')}
      {...{ agent, run, from, to, last, isRoot }}
      blocks={node.blocks}
      askAgain={last && !busy ? onAskAgain : undefined}
    />
  ))
}

interface Section {
  readonly run: RunMark | undefined
  readonly from: number
  readonly to: number
  readonly last: boolean
}

/** The runs with the blocks that belong to each; blocks before the first run come without one. */
function sections({ runs, blocks }: AgentNode): readonly Section[] {
  const found: Section[] = []
  const first = runs.at(0)?.firstBlock ?? blocks.length
  if (first > 0) found.push({ run: undefined, from: 0, to: first, last: runs.length === 0 })
  let position = 0
  for (const run of runs) {
    const next = runs.at(++position)
    const last = position === runs.length
    const to = last ? blocks.length : (next?.firstBlock ?? blocks.length)
    found.push({ run, from: run.firstBlock, to, last })
  }
  return found
}

interface RunSectionProps extends Section {
  readonly agent: string
  readonly isRoot: boolean
  readonly blocks: Sequence<Block>
  readonly askAgain: ((prompt: string) => void) | undefined
}

const RunSection = memo(function RunSection(props: RunSectionProps) {
  const { agent, run, from, to, blocks, isRoot, last, askAgain } = props
  return (
    <section className="run" data-last={last || undefined}>
      {run?.prompt &&
        (isRoot ? <UserBubble text={run.prompt} /> : <p className="task">{run.prompt}</p>)}
      {toRows(blocks, from, to).map((row) =>
        isFlow(row) ? (
          <TextView key={row[0]?.key} blocks={row} />
        ) : (
          <BlockView key={row.key} agent={agent} block={row} />
        ),
      )}
      {run?.end && <RunFooter {...{ run, agent, isRoot }} onAskAgain={askAgain} />}
    </section>
  )
}, isSameSection)

/** The blocks of a run, those of the answer's text together where they follow each other. */
function toRows(
  blocks: Sequence<Block>,
  from: number,
  to: number,
): readonly (Block | readonly TextBlock[])[] {
  const rows: (Block | TextBlock[])[] = []
  for (let position = from; position < to; position++) {
    const block = blocks.at(position)
    if (!block) continue
    const last = rows.at(-1)
    if (!isFlowing(block)) rows.push(block)
    else if (Array.isArray(last)) last.push(block)
    else rows.push([block])
  }
  return rows
}

function isFlow(row: Block | readonly TextBlock[]): row is readonly TextBlock[] {
  return Array.isArray(row)
}

/** A run that is over never changes, though the list that holds its blocks does. */
function isSameSection(before: RunSectionProps, after: RunSectionProps): boolean {
  return (
    before.run === after.run &&
    before.from === after.from &&
    before.to === after.to &&
    before.last === after.last &&
    before.askAgain === after.askAgain &&
    (!after.last || before.blocks === after.blocks)
  )
}

import { memo, useCallback, useContext, useMemo, useState } from 'react'
import { type AgentNode, agentOf, type Block, type RunMark, type Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { findFirstFrame } from '../../session/frames/index.ts'
import { useStudio } from '../../session/index.ts'
import { ErrorBoundary } from '../../ui/boundary/index.ts'
import { bringPane, KeptStateContext } from '../../ui/index.ts'
import { isInBatch } from '../calls/index.ts'
import { createRowPlan, isFlowText, type Row, type RowKind, RowList } from '../rows/index.ts'
import { BlockView } from './block-view.tsx'
import { FileList } from './file-list.tsx'
import { RunFooter, StepFooter } from './run-footer.tsx'
import { isRunOver } from './run-state.ts'
import { TextView } from './text-view.tsx'
import { UserBubble } from './user-bubble.tsx'

/** Names of rows with blocks. */
const names: Readonly<Partial<Record<RowKind, string>>> = {
  text: 'text',
  thinking: 'thought',
  card: 'call',
  message: 'message',
  error: 'error',
}

/** Links a block to its first frame; visible on hover and on focus. */
const ShowInWire = memo(function ShowInWire({ agent, kind, position }: ShowInWireProps) {
  const { session, frames, moments, jumps } = useStudio()
  const name = names[kind]
  if (name === undefined) return null
  const go = async () => {
    const block = agentOf(session.getSnapshot().transcript, agent)?.blocks.at(position)
    if (!block) return
    const { total } = frames.getSnapshot()
    const index = findFirstFrame(moments, total, { agent, position }, block.key)
    await bringPane('wire')
    jumps.wire.notify(index)
  }
  return (
    <button
      type="button"
      className="show-in-wire"
      title="Show in wire"
      aria-label={`Show this ${name} in the wire`}
      onClick={() => void go()}
    />
  )
})

interface AgentColumnProps {
  readonly agent: string
  readonly isRoot?: boolean
  readonly busy?: boolean
  /** The agent sends nothing more in its latest run. */
  readonly isOver?: boolean
  readonly onAskAgain?: (prompt: string) => void
}

/** Shows the prompts and answers of an agent. */
export function AgentColumn({
  agent,
  isRoot = false,
  busy = false,
  isOver = false,
  onAskAgain,
}: AgentColumnProps) {
  const { session } = useStudio()
  const select = useCallback((transcript: Transcript) => agentOf(transcript, agent), [agent])
  const node = useTranscript(session, select)
  const [plan] = useState(createRowPlan)
  if (!node) return null
  const askAgain = busy ? undefined : onAskAgain
  return (
    <RowList agent={agent} rows={plan.update(node)}>
      {(row) => (
        <RowStateScope place={`${agent} ${row.key}`}>
          <ErrorBoundary name="This part" scope="part" resetKey={toStage(node, row, isOver)}>
            <RowContent {...{ node, row, isRoot, isOver, askAgain }} />
          </ErrorBoundary>
          <ShowInWire agent={agent} kind={row.kind} position={row.at} />
        </RowStateScope>
      )}
    </RowList>
  )
}

/** Renders the column of a spawned agent. */
function renderColumn(agent: string, isOver: boolean) {
  return <AgentColumn agent={agent} isOver={isOver} />
}

/** Provides the place of kept state to the components of a row. */
function RowStateScope({ place, children }: { readonly place: string; children: React.ReactNode }) {
  const { values } = useContext(KeptStateContext)
  const keep = useMemo(() => ({ values, place }), [values, place])
  return <KeptStateContext value={keep}>{children}</KeptStateContext>
}

/** Returns another value once a row is complete: content that fails to render half-written may succeed then. */
function toStage(
  { blocks, runs }: AgentNode,
  { kind, at, to, endKey }: Row,
  isOver: boolean,
): string {
  if (kind === 'prompt' || kind === 'step') return kind
  if (kind === 'end') return `${runs.at(at)?.end !== undefined} ${isOver}`
  return `${endKey} ${isWhole(blocks.at(to - 1))}`
}

function isWhole(block: Block | undefined): boolean {
  if (!block || !('done' in block) || !block.done) return false
  return !('result' in block) || block.result === undefined || block.result.done
}

interface RowContentProps {
  readonly node: AgentNode
  readonly row: Row
  readonly isRoot: boolean
  readonly isOver: boolean
  readonly askAgain: ((prompt: string) => void) | undefined
}

function RowContent({ node, row, isRoot, isOver, askAgain }: RowContentProps) {
  const { blocks, runs, steps, id: agent } = node
  const { kind, at, to } = row
  if (kind === 'text') return <TextView blocks={textsOf(node, at, to)} />
  if (kind === 'step') return <StepFooter step={steps.at(at)} />
  const run = runs.at(at)
  if (kind === 'prompt') return run && <PromptRow {...{ run, isRoot }} />
  if (kind === 'end') {
    const isLast = at === runs.length - 1
    if (!run || !(run.end || isOver)) return null
    return (
      <>
        {isRoot && <FileList run={run.runId} isLast={isLast} />}
        {run.end && (
          <RunFooter
            {...{ run, agent, isRoot }}
            position={at}
            onAskAgain={isLast ? askAgain : undefined}
          />
        )}
      </>
    )
  }
  const block = blocks.at(at)
  if (!block) return null
  return (
    <BlockView
      {...{ agent, block, renderColumn }}
      isOver={isOver || isRunOver(node, row.since.run - 1)}
      isInBatch={isInBatch(node, at)}
    />
  )
}

function PromptRow({ run, isRoot }: { readonly run: RunMark; readonly isRoot: boolean }) {
  const { prompt, runId } = run
  if (prompt === '') return null
  return isRoot ? <UserBubble text={prompt} run={runId} /> : <p className="task">{prompt}</p>
}

function textsOf({ blocks }: AgentNode, from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => blocks.at(from + index)).filter(
    (block) => block !== undefined && isFlowText(block),
  )
}

interface ShowInWireProps {
  readonly agent: string
  readonly kind: RowKind
  /** Position of the row's first block. */
  readonly position: number
}

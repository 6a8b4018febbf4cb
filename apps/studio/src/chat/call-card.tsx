import { useState } from 'react'
import type { CallBlock } from 'millrace'
import { usePendingTools } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { ToolIcon } from '../shell/icons.tsx'
import { GrowingText } from '../text/growing-text.tsx'
import { createJsonPrinter, toCompact } from '../text/pretty-json.ts'
import { PendingForm } from './pending-form.tsx'
import { QuestionCard } from './question-card.tsx'
import { ResultBody } from './result-view.tsx'
import { SubAgents } from './sub-agents.tsx'
import { useFollowEnd } from './use-follow-end.ts'

interface CallCardProps {
  readonly agent: string
  readonly block: CallBlock
}

/** A call of a tool: what went in, as it is written, and what came out. */
export function CallCard({ agent, block }: CallCardProps) {
  const { session } = useStudio()
  const pending = usePendingTools(session).find((tool) => tool.toolUseId === block.id)
  if (block.name === 'user_confirm' && (pending || block.result)) {
    return <QuestionCard block={block} pending={pending} />
  }
  const state = stateOf(block, pending !== undefined)
  return (
    <Foldable
      summary={
        <>
          <ToolIcon />
          <span className="tool-name">{block.name}</span>
          {block.serverName && <span className="muted">on {block.serverName}</span>}
          <span className="tool-state" data-state={state}>
            {stateLabels[state]}
          </span>
        </>
      }
    >
      <CallInput text={block.text} growing={!block.done} />
      {pending && <PendingForm pending={pending} />}
      {block.result && <ResultBody result={block.result} />}
      <SubAgents parent={agent} call={block.id} />
    </Foldable>
  )
}

const stateLabels = {
  writing: 'Writing…',
  running: 'Running…',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'Failed',
  interrupted: 'Broken off',
} as const

function stateOf(
  { done, interrupted, result }: CallBlock,
  waits: boolean,
): keyof typeof stateLabels {
  if (result?.isError) return 'failed'
  if (result) return result.done ? 'done' : 'running'
  if (interrupted) return 'interrupted'
  if (waits) return 'waiting'
  return done ? 'running' : 'writing'
}

/** A card that folds; the browser's own element, so that it works with keys and finding in the page. */
function Foldable({
  summary,
  children,
}: {
  readonly summary: React.ReactNode
  readonly children: React.ReactNode
}) {
  const [open, setOpen] = useState(true)
  return (
    <details className="card" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      <div className="card-body">{children}</div>
    </details>
  )
}

function CallInput({ text, growing }: { readonly text: string; readonly growing: boolean }) {
  const [printer] = useState(() => createJsonPrinter({ breaksLines: true }))
  const field = useFollowEnd(growing)
  const pretty = toCompact(printer.update(text), text)
  if (pretty === '' || pretty === '{}') return <p className="muted no-input">No input</p>
  return (
    <pre ref={field} className="payload" tabIndex={0} aria-label="Input">
      <GrowingText text={pretty} />
    </pre>
  )
}

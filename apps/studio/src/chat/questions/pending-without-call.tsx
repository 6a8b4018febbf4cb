import { useCallback, useMemo } from 'react'
import { agentOf, showHiddenCharacters } from 'millrace'
import type { PendingTool, Transcript } from 'millrace'
import { usePendingTools, useTranscript } from 'millrace/react'
import type { PendingToolHandle } from 'millrace/react'
import { useStudio } from '../../session/index.ts'
import { VisibleText } from '../../ui/text/index.ts'
import {
  ArgumentsView,
  toShownArguments,
  useArgumentsVisibility,
  useAwaitedText,
  useCurrentArguments,
} from '../arguments/index.ts'
import { ApprovalForm } from './approval-form.tsx'
import { PendingForm } from './pending-form.tsx'

/** The number of blocks that are searched for the call. */
const LOOK_BACK = 200

/** Shows pending calls that have no block in the transcript. */
export function PendingWithoutCall() {
  const { session } = useStudio()
  const pending = usePendingTools(session)
  const select = useCallback(
    (transcript: Transcript) =>
      transcript.pending
        .filter((tool) => !hasCall(transcript, tool))
        .map(({ callId }) => callId)
        .join('\n'),
    [],
  )
  const ids = useTranscript(session, select).split('\n')
  return pending
    .filter(({ callId }) => ids.includes(callId))
    .map((tool) => <PendingCard key={tool.callId} pending={tool} />)
}

function PendingCard({ pending }: { readonly pending: PendingToolHandle }) {
  const { name } = pending
  const awaited = useAwaitedText(pending)
  const current = useCurrentArguments(pending.callId)
  const text = current.text ?? awaited
  const input = useMemo(() => toShownArguments(name, text ?? '{}'), [name, text])
  const seen = useArgumentsVisibility(input, true, false)
  return (
    <section className="card" aria-label={`${showHiddenCharacters(name)} waits for you`}>
      <div className="card-body">
        <p className="pending-name">
          <strong className="tool-name">
            <VisibleText text={name} isSingleLine />
          </strong>
        </p>
        <ArgumentsView {...{ input }} isEdited={false} isRaw={false} view={seen.view} />
        {pending.approval ? (
          <ApprovalForm {...{ pending, input, seen }} onChanged={current.load} />
        ) : (
          <PendingForm pending={pending} />
        )}
      </div>
    </section>
  )
}

function hasCall(transcript: Transcript, { agent, callId }: PendingTool): boolean {
  const blocks = agentOf(transcript, agent)?.blocks
  for (let back = 1; back <= Math.min(LOOK_BACK, blocks?.length ?? 0); back++) {
    const block = blocks?.at(-back)
    if (block?.type === 'tool_call' && block.id === callId) return true
  }
  return false
}

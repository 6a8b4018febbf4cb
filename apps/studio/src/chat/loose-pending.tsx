import { useCallback } from 'react'
import { agentOf } from 'millrace'
import type { PendingTool, Transcript } from 'millrace'
import { usePendingTools, useTranscript } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'
import { ApprovalForm } from './approval-form.tsx'
import { PendingForm } from './pending-form.tsx'

/** How far back the call of a pending tool is looked for. */
const LOOK_BACK = 200

/** Calls that wait for an answer but were never shown as calls. */
export function LoosePending() {
  const { session } = useStudio()
  const pending = usePendingTools(session)
  const select = useCallback(
    (transcript: Transcript) =>
      transcript.pending
        .filter((tool) => !hasCall(transcript, tool))
        .map(({ toolUseId }) => toolUseId)
        .join('\n'),
    [],
  )
  const loose = useTranscript(session, select).split('\n')
  return pending
    .filter(({ toolUseId }) => loose.includes(toolUseId))
    .map((tool) => (
      <section key={tool.toolUseId} className="card" aria-label={`${tool.name} waits for you`}>
        <div className="card-body">
          <strong className="tool-name">{tool.name}</strong>
          <pre className="payload">{JSON.stringify(tool.input, null, 2)}</pre>
          {tool.approval ? <ApprovalForm pending={tool} /> : <PendingForm pending={tool} />}
        </div>
      </section>
    ))
}

function hasCall(transcript: Transcript, { agent, toolUseId }: PendingTool): boolean {
  const blocks = agentOf(transcript, agent)?.blocks
  for (let back = 1; back <= Math.min(LOOK_BACK, blocks?.length ?? 0); back++) {
    const block = blocks?.at(-back)
    if (block?.type === 'tool_call' && block.id === toolUseId) return true
  }
  return false
}

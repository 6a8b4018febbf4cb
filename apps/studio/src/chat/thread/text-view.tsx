import { memo, useState } from 'react'
import type { TextBlock } from 'millrace'
import {
  CitationList,
  CitationsContext,
  StreamingMarkdown,
  createFlowText,
} from '../../markdown/index.ts'
import { useSameList } from '../../ui/index.ts'

interface TextViewProps {
  /** Blocks that follow each other: a provider begins a new one for each passage that it cites. */
  readonly blocks: readonly TextBlock[]
}

/** Text of the answer, with its sources below. */
export const TextView = memo(function TextView({ blocks }: TextViewProps) {
  const [flow] = useState(createFlowText)
  const last = blocks.at(-1)
  const citations = useSameList(blocks.flatMap((block) => block.citations))
  if (!last) return null
  return (
    <div className="text" data-growing={!last.done || undefined}>
      <CitationsContext value={citations}>
        <StreamingMarkdown text={flow.update(blocks)} done={last.done} />
      </CitationsContext>
      {last.interrupted && <p className="interrupted">Interrupted</p>}
      <CitationList citations={citations} />
    </div>
  )
}, isSameText)

/** Who lists the blocks makes a new list each time. */
function isSameText({ blocks: before }: TextViewProps, { blocks: after }: TextViewProps): boolean {
  return before.length === after.length && before.every((block, index) => block === after[index])
}

/** A summary which the model wrote for itself. */
export function CompactionView({ block: { text } }: { readonly block: TextBlock }) {
  return (
    <details className="thinking">
      <summary>Summary of what came before</summary>
      <div className="thinking-text">{text}</div>
    </details>
  )
}

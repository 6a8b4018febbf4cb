import { memo, useState } from 'react'
import type { TextBlock } from 'millrace'
import {
  CitationList,
  CitationsContext,
  StreamingMarkdown,
  createFlowText,
} from '../../markdown/index.ts'

interface TextViewProps {
  /** Adjacent blocks; a provider begins a new one for each cited passage. */
  readonly blocks: readonly TextBlock[]
}

/** Shows the text of an answer with its sources. */
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

/** Compares the blocks, because the list is a new one each time. */
function isSameText({ blocks: before }: TextViewProps, { blocks: after }: TextViewProps): boolean {
  return before.length === after.length && before.every((block, index) => block === after[index])
}

/** Shows a summary that the model wrote for itself. */
export function CompactionView({ block: { text } }: { readonly block: TextBlock }) {
  return (
    <details className="thinking">
      <summary>Summary of the earlier conversation</summary>
      <div className="thinking-text">{text}</div>
    </details>
  )
}

/** Returns the previous list if the items are the same: a new context value makes React visit all consumers. */
function useSameList<Item>(list: readonly Item[]): readonly Item[] {
  const [kept, setKept] = useState(list)
  const isSame = kept.length === list.length && kept.every((item, index) => item === list[index])
  if (!isSame) setKept(list)
  return isSame ? kept : list
}

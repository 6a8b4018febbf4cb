import { StreamingMarkdown } from '@millrace/studio/streaming-markdown'
import { type Block, rootAgent } from 'millrace'
import { createSession } from 'millrace/client'
import { useLayoutEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'

/** A block in its simplest form. */
function Row({ block }: { readonly block: Block }) {
  if (block.type === 'error') return null
  if (block.type === 'text') return <StreamingMarkdown text={block.text} done />
  const isCall = block.type === 'tool_call'
  return (
    <details open={isCall}>
      <summary>{isCall ? block.name : 'Thought'}</summary>
      <pre>{block.text}</pre>
      {isCall && <pre>{block.result?.text}</pre>}
    </details>
  )
}

/** All blocks of a conversation, in view or not. */
function Whole({ blocks }: { readonly blocks: readonly Block[] }) {
  const area = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => area.current?.scrollTo({ top: area.current.scrollHeight }), [])
  return (
    <div ref={area} className="chat-scroll">
      <div className="chat-content">
        {blocks.map((block) => (
          <div key={block.key} data-row={block.key}>
            <Row block={block} />
          </div>
        ))}
      </div>
    </div>
  )
}

const id = new URLSearchParams(location.search).get('session') ?? ''
const session = createSession({ url: '', session: id })
await session.watch()
const { transcript } = session.getSnapshot()
const root = createRoot(document.body.querySelector('#root') ?? document.body)
root.render(<Whole blocks={[...(rootAgent(transcript)?.blocks ?? [])]} />)

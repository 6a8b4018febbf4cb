import { memo } from 'react'
import { createRoot } from 'react-dom/client'
import { type Block, rootAgent } from 'millrace'
import { createSession } from 'millrace/client'
import { useAgent, useFrontendTool, useTranscript } from 'millrace/react'
import { confirmTool } from './confirm-tool.ts'

const session = createSession({ url: '' })

// A block that has not changed is the same object, so only the one that grows is drawn again.
const BlockView = memo(({ block }: { block: Block }) => {
  if (block.type === 'text') return <p>{block.text}</p>
  if (block.type !== 'tool_call') return null
  return (
    <pre>
      {block.name} {block.text} → {block.result?.text ?? '…'}
    </pre>
  )
})

/** Every prompt, followed by the blocks of its answer. */
function Answers() {
  const { runs = [], blocks = [] } = useTranscript(session, rootAgent) ?? {}
  const [asked, answers] = [[...runs], [...blocks]]
  return asked.map(({ runId, prompt, firstBlock }, index) => (
    <section key={runId ?? firstBlock}>
      <p className="prompt">{prompt}</p>
      {answers.slice(firstBlock, asked[index + 1]?.firstBlock).map((block) => (
        <BlockView key={block.key} block={block} />
      ))}
    </section>
  ))
}

function Chat() {
  const { status, error, connection, prompt, run } = useAgent(session)
  useFrontendTool(session, {
    ...confirmTool,
    run: ({ question }) => (window.confirm(question) ? 'yes' : 'no'),
  })
  return (
    <>
      <h1>The mill</h1>
      <Answers />
      {prompt && <p className="prompt">{prompt.text}</p>}
      <form action={(form) => void run(String(form.get('prompt')))}>
        <input name="prompt" aria-label="Your message" defaultValue="Grind 50 kg of rye." />
        <button disabled={status === 'streaming'}>Ask</button>
      </form>
      <output>{connection.error?.message ?? error?.message ?? status}</output>
    </>
  )
}

createRoot(document.getElementById('root')!).render(<Chat />)

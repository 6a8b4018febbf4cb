import { memo, useState } from 'react'
import { CodeFence } from './code-fence.tsx'
import { MarkdownProse } from './markdown-prose.tsx'
import { splitFence } from './split-fence.ts'
import { createMarkdownSplitter } from './split-markdown.ts'
import type { MarkdownPart } from './split-markdown.ts'

/** Renders Markdown that may grow: settled parts once, only the last part again. */
export function StreamingMarkdown({
  text,
  done,
}: {
  readonly text: string
  readonly done: boolean
}) {
  const [splitter] = useState(createMarkdownSplitter)
  return (
    <div className="markdown">
      {splitter.update(text, done).map((parts, index) => (
        <Group key={index} parts={parts} />
      ))}
    </div>
  )
}

const Group = memo(function Group({ parts }: { readonly parts: readonly MarkdownPart[] }) {
  return (
    <div className="markdown-group">
      {parts.map((part) => (
        <Part key={part.start} part={part} />
      ))}
    </div>
  )
})

const Part = memo(function Part({ part: { kind, text, growing } }: { part: MarkdownPart }) {
  return kind === 'fence' ? (
    <CodeFence {...splitFence(text)} growing={growing} />
  ) : (
    <MarkdownProse text={text} growing={growing} />
  )
})

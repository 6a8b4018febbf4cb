import { memo, useState } from 'react'
import Markdown from 'react-markdown'
import type { Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remend from 'remend'
import { toSafeLink } from '../ui/index.ts'
import { CitationMark } from './citations.tsx'
import { CodeFence } from './code-fence.tsx'
import { readMark } from './flow-text.ts'
import { createParsePace } from './parse-pace.ts'

const plugins = [[remarkGfm, { singleTilde: false }]] satisfies Parameters<
  typeof Markdown
>[0]['remarkPlugins']

/** `react-markdown` shows raw HTML as text. Images are linked and not loaded. */
const components: Components = {
  a({ href, children }) {
    const mark = readMark(href)
    if (mark !== undefined) return <CitationMark number={mark} />
    const safe = toSafeLink(href)
    if (!safe) return <span>{children}</span>
    return (
      <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    )
  },
  img({ src, alt }) {
    const safe = toSafeLink(typeof src === 'string' ? src : undefined)
    const label = `Image: ${alt || 'untitled'}`
    if (!safe) return <span className="image-link">{label}</span>
    return (
      <a className="image-link" href={safe} target="_blank" rel="noopener noreferrer nofollow">
        {label}
      </a>
    )
  },
  pre({ node }) {
    const code = node?.children[0]
    if (code?.type !== 'element') return null
    const text = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('')
    const classes = code.properties['className']
    const language = Array.isArray(classes) ? String(classes[0]).replace('language-', '') : ''
    return <CodeFence language={language} code={text.replace(/\n$/, '')} growing={false} />
  },
  table({ children }) {
    return (
      <div className="table-scroll" tabIndex={0} role="group" aria-label="Table">
        <table>{children}</table>
      </div>
    )
  },
  input({ checked }) {
    return <input type="checkbox" checked={checked} readOnly aria-label="Task" />
  },
}

interface MarkdownProseProps {
  readonly text: string
  readonly growing: boolean
}

/** Renders Markdown other than fenced code; while it grows, open marks are closed temporarily. */
export function MarkdownProse({ text, growing }: MarkdownProseProps) {
  const [pace] = useState(createParsePace)
  const end = growing ? pace.next(text.length) : text.length
  return (
    <>
      <Rendered markdown={growing ? closeOpenMarks(text.slice(0, end)) : text} />
      {end < text.length && <span className="markdown-rest">{text.slice(end)}</span>}
    </>
  )
}

const Rendered = memo(function Rendered({ markdown }: { readonly markdown: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={components} urlTransform={(url) => url}>
      {markdown}
    </Markdown>
  )
})

function closeOpenMarks(text: string): string {
  return remend(text, { linkMode: 'text-only', images: false, katex: false, htmlTags: false })
}

import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import type { ReactNode } from 'react'
import { VisibleText } from './visible-text.tsx'

const lowlight = createLowlight({
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})

type Nodes = ReturnType<typeof lowlight.highlight>['children']

/** Returns highlighted code as elements; undefined for an unsupported language. */
export function highlight(code: string, language: string): ReactNode {
  if (!lowlight.registered(language)) return undefined
  return toElements(lowlight.highlight(language, code).children)
}

function toElements(nodes: Nodes): ReactNode {
  return nodes.map((node, index) => {
    if (node.type === 'text') return <VisibleText key={index} text={node.value} />
    if (node.type !== 'element') return null
    const { className } = node.properties
    return (
      <span key={index} className={Array.isArray(className) ? className.join(' ') : ''}>
        {toElements(node.children)}
      </span>
    )
  })
}

export { CitationList, CitationsContext } from './citations.tsx'
export { createFlowText } from './flow-text.ts'
export { StreamingMarkdown } from './streaming-markdown.tsx'

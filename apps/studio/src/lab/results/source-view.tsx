import { segmentTypes } from 'millrace/segments'
import { memo, type PointerEvent, useLayoutEffect, useMemo, useRef } from 'react'
import type { LabRun, LabStep } from '../run/index.ts'
import { cutBlocks, type SourceBlock } from './source-blocks.ts'

/** Shows the colors of the segment types in the run. */
const SourceLegend = memo(function SourceLegend({ run }: { readonly run: LabRun }) {
  const present = new Set(run.segments.map(({ type }) => type))
  return (
    <ul className="legend" aria-label="Colors">
      {segmentTypes
        .filter((type) => present.has(type))
        .map((type) => (
          <li key={type}>
            <span className="source-part" data-kind={type}>
              {type}
            </span>
          </li>
        ))}
      <li>
        <span className="source-part" data-kind="markup">
          markup
        </span>
      </li>
      <li>
        <mark className="source-held">held back</mark>
      </li>
      <li>
        <span className="source-unfed">not yet fed</span>
      </li>
    </ul>
  )
})

interface SourceViewProps {
  readonly run: LabRun
  readonly moment: LabStep
  /** The number of segments that have started. */
  readonly started: number
  /** The highlighted segment; -1 for none. */
  readonly active: number
  readonly onActive: (segment: number) => void
}

/** Shows the text with the types of its parts so far. */
export function SourceView({ run, moment, started, active, onActive }: SourceViewProps) {
  const blocks = useMemo(() => cutBlocks(run.text, run.sources), [run])
  const { fed, decided } = moment
  const onPointerOver = (event: PointerEvent) => {
    const part = event.target instanceof Element ? event.target.closest('[data-segment]') : null
    onActive(Number(part?.getAttribute('data-segment') ?? -1))
  }
  return (
    <section className="lab-panel lab-source" aria-label="Source">
      <header>
        <h2>Source</h2>
        <SourceLegend run={run} />
      </header>
      <pre
        tabIndex={0}
        data-testid="source"
        onPointerOver={onPointerOver}
        onPointerLeave={() => onActive(-1)}
      >
        {blocks.map((block) => {
          const { from, to, firstSegment, lastSegment } = block
          const isDrawn = decided > from
          return (
            <Block
              key={from}
              text={run.text}
              block={block}
              decided={clamp(decided, from, to)}
              fed={clamp(fed, from, to)}
              hasCaret={(fed > from && fed <= to) || (fed === 0 && from === 0)}
              waitsFrom={isDrawn && started <= lastSegment ? started : undefined}
              active={active >= firstSegment && active <= lastSegment ? active : -1}
            />
          )
        })}
      </pre>
    </section>
  )
}

interface BlockProps {
  readonly text: string
  readonly block: SourceBlock
  readonly decided: number
  readonly fed: number
  /** The fed text ends in this block. */
  readonly hasCaret: boolean
  /** Segments from this number on have not started, so their content waits. */
  readonly waitsFrom: number | undefined
  readonly active: number
}

const Block = memo(function Block(props: BlockProps) {
  const { text, block, decided, fed, hasCaret, waitsFrom = Infinity, active } = props
  const runs = block.runs.filter(({ from }) => from < decided)
  return (
    <div className="source-block">
      {runs.map(({ from, to, kind, segment }) => (
        <span
          key={from}
          className="source-part"
          data-kind={kind}
          data-segment={segment < 0 ? undefined : segment}
          data-waits={segment >= waitsFrom || undefined}
          data-active={(segment >= 0 && segment === active) || undefined}
        >
          {text.slice(from, Math.min(to, decided))}
        </span>
      ))}
      {fed > decided && (
        <mark className="source-held" data-testid="held">
          {text.slice(decided, fed).replaceAll('\n', '↵\n')}
        </mark>
      )}
      {hasCaret && <SourceCaret key={fed} />}
      {fed < block.to && <span className="source-unfed">{text.slice(fed, block.to)}</span>}
    </div>
  )
})

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

/** The margin above and below the caret in pixels. */
const MARGIN = 40

/** Marks the end of the fed text and scrolls to it. */
function SourceCaret() {
  const caret = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => reveal(caret.current), [])
  return <span ref={caret} className="source-caret" />
}

/** Scrolls only the text. */
function reveal(caret: HTMLElement | null): void {
  const scroll = caret?.closest('pre')
  if (!caret || !scroll) return
  const view = scroll.getBoundingClientRect()
  const place = caret.getBoundingClientRect()
  if (place.top < view.top + MARGIN) scroll.scrollTop += place.top - view.top - MARGIN
  else if (place.bottom > view.bottom - MARGIN) {
    scroll.scrollTop += place.bottom - view.bottom + MARGIN
  }
}

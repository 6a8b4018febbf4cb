import { type KeyboardEvent, useEffect, useState } from 'react'
import type { BlockPlace } from '../../session/frames/index.ts'
import { useStudio } from '../../session/index.ts'
import { focusOnMount, useRestoreFocus } from '../../ui/index.ts'
import { flashRow, useReveal } from '../rows/index.ts'
import { findBlocks } from './find-blocks.ts'

const NAME = 'found'

/** The number of matches that are highlighted. */
const MAX_MARKED = 1_000

interface Found {
  readonly text: string
  readonly places: readonly BlockPlace[]
  readonly at: number
}

const nothing: Found = { text: '', places: [], at: 0 }

/** Finds text in the whole session; the browser only searches the rows near the view. */
export function FindBar({ onClose }: { readonly onClose: () => void }) {
  const { text, setText, status, go } = useSearch()
  useEffect(() => clearMatches, [])
  useRestoreFocus()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    go(event.shiftKey ? -1 : 1)
  }
  return (
    <search className="find-bar">
      <input
        ref={focusOnMount}
        type="search"
        value={text}
        placeholder="Find, then Enter"
        aria-label="Find in this conversation"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="muted" role="status">
        {status}
      </span>
      <button type="button" className="quiet-button" aria-label="Previous" onClick={() => go(-1)}>
        ↑
      </button>
      <button type="button" className="quiet-button" aria-label="Next" onClick={() => go(1)}>
        ↓
      </button>
      <button type="button" className="quiet-button" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </search>
  )
}

/** Keeps the searched text, its matches and the current one. */
function useSearch() {
  const { session } = useStudio()
  const reveal = useReveal()
  const [text, setText] = useState('')
  const [found, setFound] = useState(nothing)
  const show = async (next: Found) => {
    setFound(next)
    const place = next.places[next.at]
    if (!place) return
    const row = await reveal(place)
    flashRow(row)
    openMatchingCards(row, next.text)
    markMatches(row, next.text)
  }
  const go = (step: number) => {
    const isNew = found.text !== text
    const places = isNew ? findBlocks(session.getSnapshot().transcript, text) : found.places
    const count = places.length
    void show({ text, places, at: isNew ? 0 : (found.at + step + count) % (count || 1) })
  }
  return { text, setText, status: found.text === text ? describe(found) : '', go }
}

function describe({ text, places, at }: Found): string {
  if (text === '') return ''
  return places.length === 0 ? 'Not found' : `${at + 1} of ${places.length}`
}

/** Opens the collapsed cards of a row that contain a text, ignoring case. */
function openMatchingCards(row: Element | undefined, text: string): void {
  const wanted = text.trim().toLowerCase()
  if (!row || wanted === '') return
  for (const card of row.querySelectorAll<HTMLDetailsElement>('details.card:not([open])')) {
    const body = card.querySelector('.card-body')?.textContent ?? ''
    if (body.toLowerCase().includes(wanted)) card.open = true
  }
}

/** Highlights each match in a row, ignoring case, if the browser supports it. */
function markMatches(row: Element | undefined, text: string): void {
  if (typeof Highlight === 'undefined') return
  const ranges = row ? findRanges(row, text.trim().toLowerCase()) : []
  CSS.highlights.set(NAME, new Highlight(...ranges))
}

/** Removes the highlights. */
function clearMatches(): void {
  if (typeof Highlight !== 'undefined') CSS.highlights.delete(NAME)
}

function findRanges(row: Element, wanted: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && wanted !== ''; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    // Some letters have another length in lower case, which would shift later matches.
    if (text.length !== node.nodeValue?.length) continue
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      if (ranges.length >= MAX_MARKED) return ranges
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  return ranges
}

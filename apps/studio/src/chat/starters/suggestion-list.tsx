import { useEffect, useRef } from 'react'
import type { Suggestions } from './use-suggestions.ts'

/** Lists matching demos above the prompt field. */
export function SuggestionList({ demos, active, listId, toOptionId, pick }: Suggestions) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  if (demos.length === 0) return null
  return (
    <div ref={list} id={listId} className="suggestions" role="listbox" aria-label="Demos to choose">
      {demos.map((demo, position) => (
        <button
          key={demo.prompt}
          type="button"
          tabIndex={-1}
          id={toOptionId(position)}
          role="option"
          aria-selected={position === active}
          // The focus stays in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(demo)}
        >
          <code>{demo.prompt}</code>
          <span>{demo.text}</span>
        </button>
      ))}
    </div>
  )
}

import { useId, useRef } from 'react'
import { DemoList } from './demo-list.tsx'
import { firstDemos } from './demos.ts'

/** Shows some demos and a menu with all of them. */
export function DemoChips({ onPick }: { readonly onPick: (prompt: string) => void }) {
  const menuId = useId()
  const menu = useRef<HTMLDivElement>(null)
  const row = useRef<HTMLUListElement>(null)
  // A popover is in the top layer, so its position is set here.
  const place = () => {
    const { left, top } = row.current?.getBoundingClientRect() ?? { left: 0, top: 0 }
    menu.current?.style.setProperty('left', `${left}px`)
    menu.current?.style.setProperty('bottom', `${innerHeight - top + 8}px`)
  }
  const pick = (prompt: string) => {
    menu.current?.hidePopover()
    onPick(prompt)
  }
  return (
    <>
      <ul ref={row} className="chips" aria-label="Demos">
        {firstDemos.map(({ prompt, title, text }) => (
          <li key={prompt}>
            <button type="button" title={`${text}: ${prompt}`} onClick={() => pick(prompt)}>
              {title}
            </button>
          </li>
        ))}
        <li>
          <button type="button" popoverTarget={menuId}>
            All demos…
          </button>
        </li>
      </ul>
      {/* The popover of the browser closes on Escape and on a click elsewhere. */}
      <div
        id={menuId}
        ref={menu}
        popover="auto"
        className="demo-menu"
        aria-label="All demos"
        onBeforeToggle={place}
      >
        <DemoList onPick={pick} />
      </div>
    </>
  )
}

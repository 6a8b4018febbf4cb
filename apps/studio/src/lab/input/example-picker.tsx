import { exampleOf, examples, findExample } from '../settings/index.ts'
import type { Example } from '../settings/index.ts'

interface ExamplePickerProps {
  readonly text: string
  readonly onPick: (example: Example) => void
}

/** Selects an example and explains it. */
export function ExamplePicker({ text, onPick }: ExamplePickerProps) {
  const current = exampleOf(text)
  return (
    <div className="field">
      <label htmlFor="lab-example">Example</label>
      <select
        id="lab-example"
        value={current?.id ?? ''}
        aria-describedby="lab-look"
        onChange={(event) => {
          const example = findExample(event.target.value)
          if (example) onPick(example)
        }}
      >
        {!current && <option value="">Your own text</option>}
        {examples.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <p id="lab-look" className="field-note look">
        {current?.look ?? 'Your text: step through it, or check it at every chunking.'}
      </p>
    </div>
  )
}

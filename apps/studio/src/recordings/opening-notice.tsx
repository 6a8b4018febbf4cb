import type { Opening } from './use-opening.ts'

/** Shows the progress of opening a file, or the reason why it failed. */
export function OpeningNotice({ opening }: { readonly opening: Opening }) {
  const { file, problem, cancel, setProblem } = opening
  if (file) {
    const percent = Math.round(file.part * 100)
    return (
      <section className="opening-notice" role="status" aria-label={`Opening ${file.name}`}>
        <div>
          <strong>Opening {file.name}</strong>
          <progress value={file.part} aria-label="Read so far">
            {percent} %
          </progress>
        </div>
        <button type="button" className="button" onClick={cancel}>
          Cancel
        </button>
      </section>
    )
  }
  if (problem === undefined) return null
  return (
    <section className="opening-notice" role="alert" data-tone="bad">
      <div>
        <strong>The file was not opened</strong>
        <p>{problem}</p>
      </div>
      <button type="button" className="button" onClick={() => setProblem(undefined)}>
        Close
      </button>
    </section>
  )
}

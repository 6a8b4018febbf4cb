import { toTranslationNote, useStudio } from '../../session/index.ts'

/** Replaces the prompt field: shows why nothing can be sent and the way back. */
export function ReadOnlyNote({ onClose }: { readonly onClose: () => void }) {
  const { readOnly, moment, fileName, translatedFrom } = useStudio()
  const isPast = readOnly === 'past'
  return (
    <section className="read-only-note" aria-label={isPast ? 'The past' : 'A recording'}>
      <p>
        {isPast ? (
          'You are viewing a past moment.'
        ) : (
          <>
            This is a recording: <strong>{fileName}</strong>. {toTranslationNote(translatedFrom)}
            Nothing can be sent.
          </>
        )}
      </p>
      {isPast ? (
        <button type="button" className="button primary" onClick={() => moment.set(undefined)}>
          {fileName === undefined ? 'Return to live' : 'Return to the end'}
        </button>
      ) : (
        <button type="button" className="button" onClick={onClose}>
          Close the recording
        </button>
      )}
    </section>
  )
}

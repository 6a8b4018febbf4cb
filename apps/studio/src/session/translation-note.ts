/** Says that what is shown was written in another format; nothing if it was not. */
export function toTranslationNote(translatedFrom: string | undefined): string {
  return translatedFrom === undefined ? '' : `${translatedFrom}, shown as Millrace messages. `
}

/** Shows why a command was not accepted. */
export function FormProblem({ problem }: { readonly problem: string | undefined }) {
  if (problem === undefined) return null
  return (
    <p className="form-problem" role="alert">
      {problem}
    </p>
  )
}

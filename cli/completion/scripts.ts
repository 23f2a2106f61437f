export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

// Each asks `postern __complete -- WORDS…`, so that a script stays right when commands come and go.
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_postern() {
  local IFS=$'\\n'
  COMPREPLY=( $(postern __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
}
complete -o default -F _postern postern
`,
  zsh: `#compdef postern
_postern() {
  local -a found
  found=("\${(@f)$(postern __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
if [ "$funcstack[1]" = "_postern" ]; then _postern "$@"; else compdef _postern postern; fi
`,
  fish: `function __postern_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  postern __complete -- $words 2>/dev/null
end
complete -c postern -f -a '(__postern_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName postern -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  & postern __complete -- @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}

"""The widgets: what a reader sets, and what they say."""
import itertools
import re
import subprocess


class Figure:
    def __init__(self, page, name):
        self.page, self.name = page, name

    def field(self, name):
        return self.page.locator(f'#{self.name}-{name}')

    def set(self, name, value):
        field = self.field(name)
        if field.evaluate('it => it.tagName') == 'SELECT':
            field.select_option(value)
        elif field.get_attribute('type') == 'checkbox':
            field.set_checked(value == 'on')
        else:
            field.fill(value)

    def says(self):
        return self.page.locator(f'#{self.name}-result').text_content()

    def picture(self):
        svg = self.page.locator(f'#{self.name} .scroll svg, #{self.name} svg')
        return svg.first.inner_html(), svg.first.get_attribute('aria-label')

    def is_stale(self):
        return 'stale' in self.page.locator(
            f'#{self.name}').get_attribute('class').split()

    def reset(self):
        self.page.click(f'#{self.name} button[name=reset]')


# For each figure: settings one after another, each with what is then said;
# "error" where the figure must refuse it.
STEPS = {
    'fig-stage2-banks': [
        ('', '', '32 wavefronts; without conflicts, 4.'),
        ('padding', '8', '4 wavefronts; without conflicts, 4.'),
        ('swizzle', 'on', '12 wavefronts; without conflicts, 4.'),
        ('swizzle', 'off', '4 wavefronts; without conflicts, 4.'),
        ('padding', '3', 'Impossible'),
        ('padding', '99', 'error'),
        ('padding', 'e', 'error'),
        ('padding', '0', '32 wavefronts'),
    ],
    'fig-online-softmax': [
        ('', '', 'factor 0.135. Now l is 1.203 '),
        ('seen', '3', 'the factor is 1.'),
        ('scores', '1 3 2 5 4 0 5 100', 'the factor is 1.'),
        ('seen', '4', 'Now l is 1 '),
        ('scores', '1 3', 'error'),
        ('scores', 'one', 'error'),
    ],
    'fig-stage4-ring': [
        ('', '', '8 tiles take 44:'),
        ('slots', '3', '8 tiles take 38:'),
        ('copies', 'turn', '8 tiles take 52:'),
        ('slots', '5', 'error'),
        ('slots', '', 'error'),
    ],
}


def follow(book, name):
    """Do all the steps: sentence, picture, refusal, and back to the start."""
    with book.open(book.page_with(name)) as (page, faults):
        figure = Figure(page, name)
        start = figure.says(), figure.picture()
        for setting, value, wanted in STEPS[name]:
            before = figure.picture()
            if setting and wanted == 'error':
                try_wrong(figure, setting, value, faults)
                continue
            if setting:
                figure.set(setting, value)
            what = f'{setting} = {value}' if setting else 'the start'
            if wanted not in figure.says() or figure.is_stale():
                faults.append(f'{what}: "{figure.says()}", not "{wanted}"')
            if setting and figure.picture()[0] == before[0]:
                faults.append(f'{what}: the picture does not change')
            if figure.picture()[1] != figure.says():
                faults.append(f'{what}: the picture has another text')
        figure.reset()
        if (figure.says(), figure.picture()) != start or figure.is_stale():
            faults.append('Reset does not lead back to the start')
    return faults


def try_wrong(figure, setting, value, faults):
    picture = figure.picture()
    if figure.field(setting).get_attribute('type') == 'number':
        figure.field(setting).evaluate('it => { it.value = ""; }')
        figure.field(setting).press_sequentially(value)
        figure.field(setting).dispatch_event('input')
    else:
        figure.set(setting, value)
    what = f'{setting} = "{value}"'
    if not figure.is_stale() or not figure.says().endswith('.'):
        faults.append(f'{what} is taken: "{figure.says()}"')
    marked = figure.page.locator(f'#{figure.name} [aria-invalid=true]').count()
    if marked != 1 and value != '1 3':  # there two fields disagree
        faults.append(f'{what}: {marked} fields are marked as wrong')
    if figure.picture() != picture:
        faults.append(f'{what}: the picture changes')


def count(page, setting, program):
    """The executor's counts for what the page accesses with this setting."""
    access = page.evaluate(
        'it => bookWidgets.bankConflictsModel.access(it)', setting)
    words = [access['kind'], access['bytes'], *access['addresses']]
    said = subprocess.run([program], input=' '.join(map(str, words)) + '\n',
                          capture_output=True, text=True, check=True)
    return said.stdout.split()


def against_executor(book, program):
    """The sentence of the bank conflicts beside the executor's counts."""
    name, seen = 'fig-stage2-banks', set()
    with book.open(book.page_with(name)) as (page, faults):
        figure = Figure(page, name)
        patterns = figure.field('pattern').locator('option').evaluate_all(
            'all => all.map(it => it.value)')
        for pattern, size, padding, swizzle in itertools.product(
                patterns, ('2', '4'), ('0', '8'), ('off', 'on')):
            texts = {'pattern': pattern, 'size': size, 'padding': padding,
                     'swizzle': swizzle}
            for setting, text in texts.items():
                figure.set(setting, text)
            numbers = re.findall(r'\d+', figure.says())[:2]
            wanted = count(page, {**texts, 'size': int(size),
                                  'padding': int(padding),
                                  'swizzle': swizzle == 'on'}, program)
            seen.add(tuple(wanted))
            if numbers != wanted:
                faults.append(f'{texts}: "{figure.says()}", but the executor '
                              f'counts {wanted}')
    if len(seen) < 5:
        faults.append('the settings hardly differ')
    return faults


def check(book, report, program):
    for name in STEPS:
        report(f'{name} reacts', follow(book, name))
    report("fig-stage2-banks counts as the executor does",
           *([against_executor(book, program)] if program.exists() else
             [[], f'{program} is not built; make check-all']))

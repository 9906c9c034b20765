// core.native.words: see words.pyi.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "aside.h"
#include "asked.h"
#include "best.h"
#include "draft.h"
#include "posting.h"
#include "said.h"
#include "ranges.h"
#include "text.h"
#include "vocabulary.h"
#include "weighing.h"

namespace py = pybind11;
using native::Asked;
using native::Best;
using native::Draft;
using native::Entry;
using native::Norm;
using native::ODD;
using native::ONCE;
using native::PAGE;
using native::PAGES;
using native::Posting;
using native::Query;
using native::Ranges;
using native::Reader;
using native::Row;
using native::Run;
using native::Text;
using native::Vocabulary;
using native::Window;
using native::length;
using native::next_odd;
using native::quarters;
using native::sort;

using Bytes = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Ends = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

class Postings {
   public:
    Postings(double k1, double b) : k1_(k1), b_(b), vocabulary_(native::key_of_this_process()) {}

    std::size_t size() const { return living_; }

    // ---- edits ----

    void put(const Draft& draft, const std::vector<std::int32_t>& rows) {
        constexpr std::size_t AT_ONCE = 64;  // documents that hold up every other thread
        if (rows.size() != draft.ends.size()) throw std::invalid_argument("a row for each document");
        std::vector<std::int32_t> ascending(rows);
        std::sort(ascending.begin(), ascending.end());
        if (std::adjacent_find(ascending.begin(), ascending.end()) != ascending.end())
            throw std::invalid_argument("a row twice");
        for (const std::int32_t row : rows)
            if (row < 0 || is_taken(row)) throw std::invalid_argument("a row that is taken");
        if (!rows.empty() && static_cast<std::size_t>(ascending.back()) >= lengths_.size())
            lengths_.resize(static_cast<std::size_t>(ascending.back()) + 1, FREE);
        std::vector<std::int32_t> numbers(draft.vocabulary.size(), Vocabulary::NONE);
        std::vector<Entry> entries;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i % AT_ONCE == AT_ONCE - 1) py::gil_scoped_release others_may_run;
            const std::size_t start = i == 0 ? 0 : draft.ends[i - 1];
            entries.assign(draft.entries.begin() + start, draft.entries.begin() + draft.ends[i]);
            for (Entry& entry : entries) {
                std::int32_t& number = numbers[entry.number];
                if (number == Vocabulary::NONE) number = vocabulary_.number(draft.vocabulary.word(entry.number));
                entry.number = number;
            }
            sort(entries);
            for (const Entry& entry : entries) enter(entry, rows[i], quarters(entry.count));
            settle(rows[i], entries);
        }
    }

    void drop(std::int32_t row, const Draft& told) {
        if (told.ends.size() != 1) throw std::invalid_argument("a draft of the document alone");
        std::vector<Entry> entries(told.entries.begin(), told.entries.begin() + told.ends[0]);
        for (Entry& entry : entries) {
            entry.number = vocabulary_.find(told.vocabulary.word(entry.number));
            if (entry.number == Vocabulary::NONE) throw std::invalid_argument("a word that nobody says");
        }
        sort(entries);
        take_out(row, entries);
    }

    void drop(std::int32_t row, const py::bytes& said) {
        std::vector<Entry> entries;
        Reader reader{std::string_view(said)};
        Entry entry{};
        while (reader.next(entry, vocabulary_.size())) entries.push_back(entry);
        take_out(row, entries);
    }

    void restore(std::string_view words, const Bytes& said, const Ends& ends) {
        if (vocabulary_.size() > 0 || !lengths_.empty()) throw std::invalid_argument("into an index that is not empty");
        py::gil_scoped_release others_may_run;
        Postings fresh(k1_, b_, vocabulary_);
        const std::string_view all{reinterpret_cast<const char*>(said.data()), static_cast<std::size_t>(said.size())};
        native::aside([&] { fresh.take_up(words, all, ends); });  // nobody else has it yet
        *this = std::move(fresh);
    }

    // ---- reads ----

    py::bytes words() const {
        std::string all;
        for (std::size_t number = 0; number < vocabulary_.size(); ++number) {
            all += vocabulary_.word(static_cast<std::int32_t>(number));
            all += '\n';
        }
        return all;
    }

    std::tuple<Bytes, Ends> said() const {
        std::vector<std::int64_t> starts(lengths_.size() + 1, 0);
        each_entry([&](std::size_t row, std::int32_t, std::uint32_t distance, std::uint8_t code) {
            starts[row + 1] += static_cast<std::int64_t>(native::size_of(distance, code));
        });
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        Bytes said(starts.back());
        Ends ends(static_cast<py::ssize_t>(living_));
        std::int64_t* end = ends.mutable_data();
        for (std::size_t row = 0; row < lengths_.size(); ++row)
            if (lengths_[row] != FREE) *end++ = starts[row + 1];
        std::uint8_t* all = said.mutable_data();
        each_entry([&](std::size_t row, std::int32_t number, std::uint32_t distance, std::uint8_t code) {
            const auto count = [&] { return odd_.at(odd_key(number, static_cast<std::int32_t>(row))); };
            starts[row] = native::write(all + starts[row], distance, code, count) - all;
        });
        return {std::move(said), std::move(ends)};
    }

    std::tuple<std::vector<std::int32_t>, std::vector<double>, std::vector<double>> search(
        const py::list& words, const std::vector<double>& weights, std::size_t k,
        const std::vector<std::int32_t>& others) const {
        std::vector<std::int32_t> rows;
        std::vector<double> scores, of_others(others.size(), 0.0);
        for (const Best::Hit& hit : leading(asked(words, weights), k, others, of_others)) {
            rows.push_back(hit.row);
            scores.push_back(hit.score);
        }
        return {std::move(rows), std::move(scores), std::move(of_others)};
    }

    py::array_t<double> scores(const py::list& words, const std::vector<double>& weights,
                               const std::vector<std::int32_t>& rows) const {
        const std::vector<std::size_t> ascending = in_order(rows);
        py::array_t<double> found(static_cast<py::ssize_t>(rows.size()));
        double* sums = found.mutable_data();
        std::fill(sums, sums + rows.size(), 0.0);
        const Norm norm = this->norm();
        for (Asked& word : asked(words, weights)) {
            std::size_t turned = ranges_.size();  // to which range: none yet
            for (const std::size_t i : ascending) {
                const std::int32_t row = rows[i];
                if (row < 0 || Ranges::range(row) >= ranges_.size()) continue;
                if (Ranges::range(row) != turned) word.turn(ranges_, turned = Ranges::range(row));
                const int code = word.posting->code(Ranges::place(row), word.at);
                if (code >= 0) sums[i] += norm.weighed(count(word.number, row, code), word.worth, lengths_[row]);
            }
        }
        return found;
    }

   private:
    static constexpr float FREE = -1.0f;

    Postings(double k1, double b, const Vocabulary& empty) : k1_(k1), b_(b), vocabulary_(empty) {}

    bool is_taken(std::int32_t row) const {
        return static_cast<std::size_t>(row) < lengths_.size() && lengths_[row] != FREE;
    }
    static std::uint64_t odd_key(std::int32_t number, std::int32_t row) {
        return static_cast<std::uint64_t>(number) << 32 | static_cast<std::uint32_t>(row);
    }
    void enter(const Entry& entry, std::int32_t row, std::uint8_t code) {
        ranges_.insert(entry.number, row, code);
        if (code == ODD) odd_[odd_key(entry.number, row)] = entry.count;
    }
    void settle(std::int32_t row, const std::vector<Entry>& entries) {
        lengths_[row] = length(entries);
        total_length_ += static_cast<double>(lengths_[row]);
        ++living_;
    }
    // Whatever is told wrong is refused before anything goes: a word too few shows in the length.
    void take_out(std::int32_t row, const std::vector<Entry>& entries) {
        if (row < 0 || !is_taken(row)) throw std::invalid_argument("a row without a document");
        for (const Entry& entry : entries)
            if (!says(row, entry)) throw std::invalid_argument("not what the document says");
        if (length(entries) != lengths_[row]) throw std::invalid_argument("not all that the document says");
        for (const Entry& gone : entries) {
            const std::uint8_t code = quarters(gone.count);
            ranges_.erase(gone.number, row, code);
            if (code == ODD) odd_.erase(odd_key(gone.number, row));
            if (ranges_.holding(gone.number) == 0) vocabulary_.forget(gone.number);
        }
        total_length_ -= static_cast<double>(lengths_[row]);
        lengths_[row] = FREE;
        --living_;
    }

    bool says(std::int32_t row, const Entry& entry) const {
        const int code = ranges_.code(entry.number, row);
        if (code != quarters(entry.count)) return false;
        return code != ODD || odd_.at(odd_key(entry.number, row)) == entry.count;
    }

    // What documents say, word after word. Other threads run meanwhile.
    template <typename Act>
    void each_entry(Act act) const {
        py::gil_scoped_release others_may_run;
        std::vector<Row> unpacked(Ranges::ROWS + native::SPILL);
        for (std::size_t range = 0; range < ranges_.size(); ++range) {
            std::vector<std::int32_t> before(Ranges::ROWS, 0);  // the last word of each row's document so far
            for (std::int32_t number = 0; number < static_cast<std::int32_t>(vocabulary_.size()); ++number) {
                const auto act_on = [&](const auto& rows) {
                    const auto run = rows.run(0, 0, PAGES, unpacked.data());
                    for (std::size_t i = 0; i < run.size; ++i) {
                        const Row place = run.rows[i];
                        act(range * Ranges::ROWS + place, number, static_cast<std::uint32_t>(number - before[place]),
                            run.codes == nullptr ? ONCE : run.codes[i]);
                        before[place] = number;
                    }
                };
                act_on(ranges_.posting(range, number).once);
                act_on(ranges_.posting(range, number).others);
            }
        }
    }

    void take_up(std::string_view words, std::string_view said, const Ends& ends) {
        while (!words.empty()) {
            const std::string_view word = words.substr(0, words.find('\n'));
            if (word.size() == words.size() || vocabulary_.find(word) != Vocabulary::NONE)
                throw std::invalid_argument("no words, each on a line");
            vocabulary_.append(word);
            words.remove_prefix(word.size() + 1);
        }
        std::vector<std::vector<Posting::Both>> sizes;  // by range, then by number
        each(said, ends, [&](std::int32_t row, const std::vector<Entry>& entries) {
            if (Ranges::range(row) == sizes.size()) sizes.emplace_back(vocabulary_.size());
            for (const Entry& entry : entries) {
                Posting::Both& of_word = sizes.back()[entry.number];
                ++(quarters(entry.count) == ONCE ? of_word.once : of_word.others);
            }
        });
        for (const std::vector<Posting::Both>& of_range : sizes)
            ranges_.reserve(of_range, std::min<std::size_t>(Ranges::ROWS, ends.size() - ranges_.size() * Ranges::ROWS));
        lengths_.resize(static_cast<std::size_t>(ends.size()), FREE);
        each(said, ends, [&](std::int32_t row, const std::vector<Entry>& entries) {
            for (const Entry& entry : entries) enter(entry, row, quarters(entry.count));
            settle(row, entries);
        });
        for (std::int32_t number = 0; number < static_cast<std::int32_t>(vocabulary_.size()); ++number)
            if ((ranges_.holding(number) == 0) != vocabulary_.word(number).empty())
                throw std::invalid_argument("a word that nobody says");
    }

    template <typename Act>
    void each(std::string_view said, const Ends& ends, Act act) const {
        std::size_t start = 0;
        std::vector<Entry> entries;
        for (py::ssize_t row = 0; row < ends.size(); ++row) {
            const auto end = static_cast<std::size_t>(ends.data()[row]);
            if (end < start || end > said.size()) throw std::invalid_argument("documents that overlap");
            Reader reader(said.substr(start, end - start));
            entries.clear();
            Entry entry{};
            while (reader.next(entry, vocabulary_.size())) entries.push_back(entry);
            act(static_cast<std::int32_t>(row), entries);
            start = end;
        }
        if (start != said.size()) throw std::invalid_argument("more said than documents");
    }

    // The places of rows, the least row's first.
    static std::vector<std::size_t> in_order(const std::vector<std::int32_t>& rows) {
        std::vector<std::size_t> places(rows.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::sort(places.begin(), places.end(), [&](auto a, auto b) { return rows[a] < rows[b]; });
        return places;
    }

    Query asked(const py::list& words, const std::vector<double>& weights) const {
        if (words.size() != weights.size()) throw std::invalid_argument("a weight for each word");
        Query query;
        std::string room;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (!(weights[i] >= 0.0 && std::isfinite(weights[i]))) throw std::invalid_argument("a weight below 0");
            const std::int32_t number = vocabulary_.find(Text(words[i]).utf8(room));
            if (number == Vocabulary::NONE) continue;
            const auto all = static_cast<double>(living_), holding = static_cast<double>(ranges_.holding(number));
            const double idf = std::log1p((all - holding + 0.5) / (holding + 0.5));
            query.push_back({number, weights[i] * idf * (k1_ + 1.0)});
        }
        return query;
    }

    Norm norm() const {
        const double average = total_length_ > 0.0 ? total_length_ / static_cast<double>(living_) : 1.0;
        return {k1_, 1.0 - b_, b_ / average};
    }

    // The sums of one window after another.
    std::vector<Best::Hit> leading(Query query, std::size_t k, const std::vector<std::int32_t>& others,
                                   std::vector<double>& of_others) const {
        double sums[Window::WIDTH];
        std::int32_t reached[Window::WIDTH];
        const Norm norm = this->norm();
        const std::vector<std::size_t> ascending = in_order(others);
        auto other = ascending.begin();
        Best best(k);
        for (std::size_t range = 0; range < ranges_.size(); ++range) {
            for (Asked& word : query) word.turn(ranges_, range);
            const auto base = static_cast<std::int64_t>(range) * Ranges::ROWS;
            for (Window at = native::window(query, base, 0); at.size() > 0; at = native::window(query, base, at.last)) {
                std::fill(sums, sums + at.size(), 0.0);
                for (Asked& word : query) add(word, at, norm, sums);
                const auto end = at.row() + static_cast<std::int64_t>(at.size());
                for (; other != ascending.end() && others[*other] < end; ++other)
                    if (others[*other] >= at.row()) of_others[*other] = sums[others[*other] - at.row()];
                const std::size_t count = native::reaching(sums, at.size(), best.bar(), reached);
                for (std::size_t i = 0; i < count; ++i)
                    best.offer(sums[reached[i]], static_cast<std::int32_t>(at.row() + reached[i]));
            }
        }
        return best.taken();
    }

    // How often a row says a word, told by a code.
    double count(std::int32_t number, std::int64_t row, int code) const {
        return code == ODD ? odd_.at(odd_key(number, static_cast<std::int32_t>(row))) : 0.25 * code;
    }

    // Adds what a word gives to the rows of a window, and moves on.
    void add(Asked& word, const Window& window, const Norm& norm, double* sums) const {
        Row unpacked[Window::WIDTH + native::SPILL];
        const Run once = word.posting->once.run(word.at.once, window.first, window.last, unpacked);
        word.at.once += once.size;
        add(word, once, window, norm, sums);
        const Run others = word.posting->others.run(word.at.others, window.first, window.last, unpacked);
        word.at.others += others.size;
        add(word, others, window, norm, sums);
    }
    void add(const Asked& word, const Run& run, const Window& window, const Norm& norm, double* sums) const {
        constexpr std::size_t AT_ONCE = 256;
        double added[AT_ONCE];
        const float* lengths = lengths_.data() + window.base;
        for (std::size_t at = 0; at < run.size; at += AT_ONCE) {
            const auto [rows, codes, n] = run.part(at, AT_ONCE);
            native::weigh(rows, codes, n, lengths, word.worth, norm, added);
            for (std::size_t i = next_odd(codes, 0, n); i < n; i = next_odd(codes, i + 1, n))
                added[i] = norm.weighed(count(word.number, window.base + rows[i], ODD), word.worth, lengths[rows[i]]);
            for (std::size_t i = 0; i < n; ++i) sums[rows[i] - window.first * PAGE] += added[i];
        }
    }

    double k1_, b_;
    Vocabulary vocabulary_;
    Ranges ranges_;
    std::unordered_map<std::uint64_t, float> odd_;  // counts that no code says
    std::vector<float> lengths_;  // by row
    double total_length_ = 0.0;
    std::size_t living_ = 0;
};

PYBIND11_MODULE(words, module) {
    module.def("print_of", &native::print_of_texts);
    py::class_<Draft>(module, "Draft")
        .def(py::init<>())
        .def("__len__", [](const Draft& draft) { return draft.ends.size(); })
        .def("say", &Draft::say)
        .def("close", &Draft::close);
    py::class_<Postings>(module, "Postings")
        .def(py::init<double, double>())
        .def("__len__", &Postings::size)
        .def("put", &Postings::put)
        .def("drop", py::overload_cast<std::int32_t, const Draft&>(&Postings::drop))
        .def("drop", py::overload_cast<std::int32_t, const py::bytes&>(&Postings::drop))
        .def("restore", &Postings::restore)
        .def("copy", [](const Postings& postings) { return Postings(postings); })
        .def("words", &Postings::words)
        .def("said", &Postings::said)
        .def("search", &Postings::search)
        .def("scores", &Postings::scores);
}
